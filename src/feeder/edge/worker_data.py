"""Collects what the Worker has from the program: SQL, constants, regular expressions, settings.

`python -m feeder.edge.worker_data` prints it as JSON. `worker/build.mjs` writes that beside the
Worker's sources, which import it; so no statement and no constant is written twice.
"""

import json
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import feeder
from feeder import bigrams, embedding, nodes, notes, relation, suggestions, text
from feeder.cloudflare import vectorize
from feeder.corpus import index_status, skipped_files, unread_files
from feeder.edge import tokenizer_tables, worker_limits, worker_sql
from feeder.edge.javascript_regex import SPACE, to_javascript
from feeder.embedding import batching
from feeder.mcp import (
    formatting,
    protocol,
    relation_format,
    token_budget,
    tool_schemas,
    tools,
)
from feeder.query import (
    alternatives,
    file_kinds,
    filters,
    literals,
    query,
    query_plan,
    query_text,
    relation_filters,
    spelling,
    stopwords,
    vocabulary,
)
from feeder.ranking import (
    exact_parts,
    literal_nodes,
    member_names,
    name_matching,
    query_ranking,
    ranking,
    results,
    retrieval,
)
from feeder.relations import (
    bases,
    exports,
    families,
    file_facts,
    found_definition,
    go_interfaces,
    go_members,
    manifests,
    member_resolution,
    module_paths,
    modules,
    node_definitions,
    other_names,
    repeated_definitions,
    site_text,
    sites,
    subtypes,
    symbol_relations,
    targets,
    uses,
)
from feeder.search import answers, engine, similar
from feeder.snippets import excerpts, layout, outline, snippets, statement_lines
from feeder.store import go_relations, hits, index_counts, name_search, node_parts, relations, scope
from feeder.sync import dry_run
from feeder.traits import all_traits, traits
from feeder.web import endpoints, page_files, parameters, server

_NAMES: dict[ModuleType, str] = {
    nodes: """MIN_DUPLICATE_LINES MIN_DUPLICATE_WORDS
        NODE_TYPES DOCUMENT_TYPES HEADER_VERSION""",
    notes: "WORDS_ONLY",
    relation: """CALL INHERITS IMPLEMENTS UNNAMED USE MENTION IMPORT EXPORT BINDING PARAMETER
        RETURNS ITEM_PATTERN LITERAL LITERAL_KEY UNNAMED_MEMBER""",
    suggestions: "MAX_SUGGESTIONS MIN_SIMILARITY MAX_COMPARED MAX_LISTED SHORT_NAME",
    bigrams: "RUN",
    text: "WORD_PATTERN PART_PATTERN SEPARATOR_PATTERN",
    embedding: "STATIC_MODEL_NAME",
    batching: "BYTES_PER_INPUT_TOKEN",
    vectorize: "MAX_INDEXED_BYTES MAX_FILTER_BYTES MAX_NEIGHBOURS",
    # store
    go_relations: "MAX_GO_ROWS",
    hits: "MAX_NAMED_HITS",
    index_counts: "COUNTS_KEY TEST_PATH_WORDS",
    name_search: "MAX_TRIGRAMS",
    node_parts: "MAX_GAP_LINES",
    relations: """MAX_CODE_NODES MAX_REMOTE_ROWS MAX_REMOTE_FILES MAX_REMOTE_TYPES
        IMPORT_WORDS MANIFEST_NAMES""",
    scope: "MAX_GLOB_BYTES TEST_PATH_GLOBS TEST_PATH_STEMS",
    # search
    answers: "RANK_NAMES SHEET_TYPE",
    engine: "MAX_LISTED",
    exact_parts: "INEXACT_REASON",
    file_kinds: """TEST DOCUMENT EXAMPLE DATA DOCUMENT_PATH_PATTERN EXAMPLE_PATH_PATTERN
        DOCUMENT_NODE_TYPES DATA_NODE_TYPES UNNAMED UNNAMED_WEIGHT MINIFIED
        MINIFIED_WEIGHT MIN_NODES_ON_LINE""",
    filters: "MAX_UNKNOWN_FILTER_NOTES",
    index_status: "SHORT_COMMIT UNFINISHED",
    name_matching: """MIN_SIMILARITY CONTAINS_BONUS MAX_SIMILAR MIN_SIMILAR_LETTERS
        MAX_SPELLING_WORDS RARE_WORD_NODES RARE_COMPOUND_NODES MAX_NAME_WORDS DEFINITION_TYPES
        DECLARATION_SUFFIXES""",
    member_names: "COMPANION",
    spelling: "MAX_CORRECTED MIN_CORRECTED_LETTERS MAX_CORRECTED_LETTERS LETTERS",
    statement_lines: "MAX_STATEMENT_LINES TEXT_DELIMITER CONTINUED_ENDS TEXT_SIGN",
    bases: "MAX_BASES MAX_MEMBERS DISPATCHED_KINDS",
    modules: "COMMONJS_RECEIVERS MODULE_EXPORTS",
    module_paths: """EXTENSION SCRIPT_EXTENSION CRATE_KEYWORDS STANDARD_CRATES INDEX_FILES
        NODE_MODULES PYTHON_MODULES PREFERRED_EXTENSIONS SASS_PART""",
    manifests: "BUILT_FOLDERS",
    exports: "MAX_EXPORTS DEFAULT WHOLE ALL WORD",
    sites: "KIND_NAMES OVERRIDE",
    site_text: "DECLARATION_LINES COMMENT_PATTERN",
    node_definitions: "CONSTRUCTORS MAX_MODIFIERS PRIVATE_PATTERN",
    subtypes: "MAX_DEPTH MAX_TYPES",
    families: """OPEN_TYPE_PATTERN PART_PATTERN STATIC_TYPE_PATTERN CHAINED_PATTERN
        MAX_HELD_TYPES COMPANION_END""",
    go_members: "MAX_NAMES",
    other_names: "MAX_ALIAS_NODES MAX_MACROS",
    file_facts: "SELF_NAMES UNKNOWN_PACKAGE",
    member_resolution: "COMPOUND_PATTERN",
    go_interfaces: """MAX_GO_TYPES MAX_EMBEDDED MAX_EMBEDDING_DEPTH RECEIVER_PATTERN PACKAGE_PATTERN
        NAMED_PARAMETER_PATTERN TYPE_PARAMETER_PATTERN INTERFACE_PATTERN EMPTY_INTERFACE_PATTERN
        NAMED_TYPE_PATTERN""",
    symbol_relations: "MAX_REFERENCES MAX_USES MAX_IMPLEMENTATIONS",
    found_definition: "LOCAL_TYPE",
    uses: "MAX_DEFINITIONS",
    outline: """UNNAMED_TYPES MEMBER_TYPE MEMBER_OWNER_TYPES DETAIL_LEVELS
        FILE_DETAIL_LEVELS NAME_SEPARATORS
        MODULE_KEYWORDS MAX_NAMES MAX_RANGES_CHARS""",
    alternatives: "OR AND MAX_CLAUSES TEXT_FIELDS REPEATABLE_FIELDS RELATION_OR",
    query: """MAX_QUERY_CHARS FILTER_FIELDS CHOICE_FILTERS COMMA_LIST_FIELDS HEADED_FIELDS
        MIN_REPLACED_LETTERS SPACE_CHARS SPACE_PATTERN LINE_END_PATTERN INVISIBLE
        CONTROL_PATTERN TOKEN_PATTERN GROUPED_TOKEN_PATTERN FILTER_PATTERN
        PREFIX_PATTERN EXCLUDED_PATTERN MIN_WORD_LETTERS BLANKS_AND_QUOTES EMPTY_QUERY""",
    query_text: """ANALYZED_CHARS SUFFIXES MIN_STEM_LETTERS SYMBOL_NAME CODE_WORD MESSAGE_PATTERN
        MAX_ANCHORS MAX_CODE_WORDS PATH_PATTERN IDENTIFIER_PATTERN CAPITALIZED_WORD
        COMPOUND_NAME ALNUM_PATTERN QUERY_WORD_PATTERN PATH_WORD PATH_OR_MODULE""",
    relation_filters: "MAX_NODES KINDS_BY_FILTER QUALIFIED_KINDS EXAMPLES CONVENTIONAL",
    query_plan: "DEFAULT_LINES",
    ranking: """STACK_FRAME NAME PATH COMPOSED_NAME LITERAL RARE_WORD SIMILAR_NAME NAME_WORDS WORD
        DESCRIPTION NAME_WEIGHT NAME_WORDS_WEIGHT WORD_WEIGHT DESCRIPTION_WEIGHT RANK_CONSTANT
        COSINE_FLOOR PREFERENCE_BOOST FILE_BOOST PATH_BOOST NAME_BOOST MIN_SHARE_OF_BEST
        ANCHOR ANCHOR_BOOST LEADING_FILES MEMBER_SHARE MIN_PATH_SHARE FLAG_SHARE LITERAL_SHARE
        UNREAD_SHARE TITLE TITLE_WEIGHT""",
    query_ranking: """MAX_BY_MODEL CANDIDATE_LIMITS MAX_BY_VECTOR_ONLY MAX_SUGGESTED_NAMES
        NO_WORD_TEXT""",
    results: "MAX_DEDUPLICATED MAX_FACET_VALUES",
    literals: """KEY_BEFORE KEY_AFTER CALL_BEFORE CALL_AFTER NAME_BEFORE NAME_AFTER
        MAX_DEFINITION_CHARS""",
    literal_nodes: "CONFIRMED_BATCH ENOUGH_CONFIRMED",
    retrieval: """MAX_BY_WORD STATIC_VECTORS MODEL_VECTORS MODEL_WEIGHT LONG_TEXT_SHARE
        MAX_BY_LITERAL MAX_FRAMES LOCATION PYTHON_NAME RUBY_NAME NAME_BEFORE NAME_ABOVE
        ANONYMOUS_PATTERN""",
    similar: "MAX_CANDIDATES MAX_WORDS",
    unread_files: "MAX_REASONS REASONS_WITHOUT_TEXT",
    skipped_files: "SKIP_REMEDIES DEFAULT_REMEDY MAX_PATH_NOTES",
    layout: """TAB_WIDTH BRACKET_COST HEADING_COST END_COST MAX_DEPTH_COST QUOTED_PATTERN
        CONTINUATION""",
    snippets: """TABLE_ROW TABLE_RULE REPEAT_WEIGHTS MAX_SHIFT MAX_HEAD_LINES HEAD_SEARCH_LINES
        SIGNATURE_TRIM MAX_COMPARED CUT_PENALTY ANCHOR_WEIGHT LITERAL_WEIGHT
        MAX_HIGHLIGHTS""",
    excerpts: "CONTEXT_LINES MAX_CONTEXT_CHARS",
    stopwords: "RANKING_STOP_WORDS HIGHLIGHT_STOP_WORDS",
    repeated_definitions: "CALL_PATTERN QUOTES DEFINED_IN_HEADER_PATTERN",
    targets: "MAX_LISTED MAX_SEPARATORS EMPTY_TARGET_ERROR",
    vocabulary: "CODE TESTS",
    dry_run: "COST_KEY",
    worker_limits: """MAX_TERMS MAX_FILTERED_TERMS MAX_COUNTED_WORDS MAX_NAME_CHARS MAX_FEW_NODES
        MIN_NODES_OF_OTHERS MAX_ENDINGS_OF_QUERY MIN_TERMS_OF_GLOB MAX_OUTLINED_FILES
        MAX_PHRASE_WORDS MAX_COMPARED_NODES MAX_COMPARED_BY_PREFIX MAX_GLOBS MAX_LISTED
        MAX_ALTERNATIVES""",
    # web and mcp
    parameters: "DEFAULT_LIMIT MAX_LIMIT MAX_OFFSET",
    endpoints: "OUTLINE_LIMITS MAX_MAPPED_FILES",
    page_files: "OWN_FETCH_SITES SECURITY_HEADERS NOT_FOUND_REMEDY",
    server: "MIN_TOKEN_CHARS",
    protocol: """MODERN_REVISIONS LEGACY_REVISIONS BATCH_REVISION MAX_BATCH_MESSAGES
        DEFAULT_REVISION META_PREFIX TTL_MS MAX_BODY_BYTES""",
    tool_schemas: """WORKER_INSTRUCTIONS WORKER_TOOL_DEFINITIONS DEFAULT_TOKENS MAX_CHARS
        MIN_DEFAULT_LIMIT TOKENS_PER_HIT MAX_LIMIT""",
    tools: "SNIPPET_LINES MAX_TARGETS MAX_REFERENCES MAX_REFERENCE_TARGETS QUERY_AND_PLACE",
    relation_format: "MAX_LINE_CHARS BY_NAME",
    token_budget: """BYTES_PER_TOKEN MIN_HIT_BYTES MIN_HITS SMALL_BUDGET_BYTES MAX_SMALL_HITS
        SEPARATOR_BYTES""",
    formatting: """FOOTER_BYTES MAX_NOTES_CHARS DETAIL_ORDER DESCRIPTION_PREFIX SHORTENED_TO
        MAX_NAMED_TARGETS NAMED_TARGETS_BYTES MIN_PASSAGE_BYTES""",
}
"""The constants that the Worker needs, by the module that has them."""


def worker_data() -> dict[str, Any]:
    """All of it; `constants` has the modules' constants by the names that they have in Python."""
    return {
        "version": feeder.__version__,
        "sql": worker_sql.SHORT_STATEMENTS,
        "sql_fragments": worker_sql.FRAGMENTS,
        "columns": worker_sql.column_counts(),
        "models": worker_sql.MODELS,
        "constants": {
            module.__name__.rpartition(".")[2]: _constants(module, names.split())
            for module, names in _NAMES.items()
        },
        "traits": _traits(),
        "space": SPACE,
        "unicode61": tokenizer_tables.unicode61_tables(),
        "parameters": {name: sorted(names) for name, (_, names) in endpoints.ENDPOINTS.items()},
    }


def _traits() -> dict[str, dict[str, Any]]:
    """The default traits, and what each language has in place of them."""
    default = traits(None)._asdict()
    del default["visibility"]  # it is in the index
    return {"default": _to_json(default)} | {
        language: {key: getattr(own, key) for key in default if getattr(own, key) != default[key]}
        for language, own in all_traits().items()
    }


def _constants(module: ModuleType, names: list[str]) -> dict[str, Any]:
    return {name: _to_json(getattr(module, name)) for name in names}


def _to_json(value: Any) -> Any:
    """A regular expression becomes JavaScript's, a named tuple an object, a set a sorted list."""
    if isinstance(value, re.Pattern):
        return to_javascript(value)
    if hasattr(value, "_asdict"):
        return _to_json(value._asdict())
    if isinstance(value, Mapping):
        return {key: _to_json(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return [_to_json(item) for item in value] if isinstance(value, list | tuple) else value


if __name__ == "__main__":
    print(json.dumps(worker_data(), ensure_ascii=False, indent=1))
