"""Scripts and styles in HTML and components, parsed in their own language; splitting of CSS and
HTML.
"""

import pytest

from feeder.errors import UserError
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars
from parse.outlines import assert_properties_hold, document_nodes, nodes, nodes_of, outline, rows


@pytest.mark.parametrize(
    ("tag", "symbols"),
    [
        ("<script>", ["f"]),
        ("<script setup>", ["f"]),
        ('<script lang="ts">', ["f"]),
        ("<script lang='tsx'>", ["f"]),
        ('<script lang="coffee">', []),
    ],
)
def test_script_has_the_language_of_its_tag(tag: str, symbols: list[str]) -> None:
    """JavaScript by default; text if there is no grammar."""
    found = nodes("a.vue", f"{tag}\nfunction f() {{ return 1 }}\n</script>\n")
    assert [node.symbol for node in found if node.symbol] == symbols


@pytest.mark.parametrize(
    ("kind", "symbols"),
    [
        ("", ["f"]),
        (' type="module"', ["f"]),
        (" type='text/javascript'", ["f"]),
        (' type="text/template"', []),
        (' type="application/ld+json"', []),
    ],
)
def test_data_scripts_are_text(kind: str, symbols: list[str]) -> None:
    found = nodes("a.html", f"<script{kind}>\nfunction f() {{ return 1 }}\n</script>\n")
    assert [node.symbol for node in found if node.symbol] == symbols


def test_component_named_index_has_the_name_of_its_folder() -> None:
    script = "<script>\nexport default {\n  data() { return {} },\n}\n</script>\n"
    found = nodes("src/cart/index.vue", script)
    assert [node.symbol for node in found if node.symbol] == ["cart", "cart.data"]


def test_declaration_on_the_line_of_a_tag_excludes_the_tag() -> None:
    found = nodes("a.html", "<script>function f() { return 1 }</script>\n")
    assert [(n.symbol, n.text) for n in found] == [
        (None, "<script>\n</script>"),
        ("f", "function f() { return 1 }"),
    ]


@pytest.mark.parametrize("path", ["a.vue", "a.svelte", "a.html", "a.scss", "a.css"])
@pytest.mark.parametrize(
    "text",
    [
        "<script>\nfunction f() {",
        "<script>\n'<script>' + '</scr' + 'ipt>'\n</script></script>\n",
        "<p>\r\n<script>\r\nlet a = `</script>`\r\n</script>\r\n",
        "\ufeff<style>a{</style>\n<script lang=ts>class A {</script>",
        "<h1>a</h2><pre><section id=a><h2></pre></section>" + "<div id='b'>" * 300,
        "/* a */ .a { " + "b { " * 300 + "/*",
    ],
)
def test_unclosed_tags_lose_nothing(path: str, text: str) -> None:
    shown = text.removeprefix("\ufeff").replace("\r\n", "\n")
    assert_properties_hold(path, shown, nodes(path, text))


def test_css_is_split_between_rules() -> None:
    """Four rules of 300 characters per part."""
    rule = "  .a {\n" + "    b: c;\n" * 28 + "  " + "x" * 3 + ": y }\n"
    found = nodes("a.css", rule * 12)
    lines = len(rule.splitlines())
    assert [(n.start_line - 1) % lines for n in found] == [0] * len(found)
    assert len(found) > 1


def test_css_comment_stays_with_the_rule_below_it() -> None:
    """Two rules of 647 characters fit into a part, a third does not."""
    rule = ".a {\n" + "  b: c;\n" * 80 + "}\n"
    comment = "/* What is sold. */\n\n"
    assert document_nodes("a.css", rule + rule + comment + rule) == [
        ("chunk", None, 1, 164),
        ("chunk", None, 165, 248),
    ]


def test_heading_ends_the_section_of_an_id() -> None:
    """A layout element adds nothing to the logical path of its sections."""
    words = "<p>" + "What is sold here, to whom, and for how much of it. " * 2 + "</p>\n"
    head = f'<div id="app">\n{words}<h1>Shop &lt;3</h1>\n{words}</div>\n'
    text = f'{head}<nav id="end">\n{words}</nav>\n'
    assert document_nodes("a.html", text) == [
        ("md_section", "app", 1, 2),
        ("md_section", "Shop <3", 3, 8),
        ("md_section", "Shop <3 > end", 6, 8),
    ]


@pytest.mark.slow
def test_elements_below_the_tenth_level_stay_in_it() -> None:
    text = '<div id="a">' * 2000 + "words " * 20 + "</div>" * 2000
    found = nodes("a.html", text)
    assert_properties_hold("a.html", text, found)
    assert max(str(node.logical_path).count(">") for node in found) == 9


def test_options_of_a_component_have_their_names() -> None:
    """Also in JavaScript files, where the component has no name."""
    found = nodes_of(
        "cart.js",
        """
        export default {
          data() {
            return {}
          },
          methods: {
            add(item) {
              this.items.push(item)
            },
          },
        }
        """,
    )
    assert outline(found) == rows(
        """
        class default 1:10
        method default.data 2:4
        method default.methods.add 6:8
        """
    )


def test_setting_after_a_predicate_is_refused() -> None:
    """tree-sitter would write out of bounds."""
    query = '((comment) @doc (#eq? @doc "a)") (#set! name "b"))'
    grammars = Grammars({**_settings(), "grammar_queries": {"Doc": {"lua": [query]}}})
    with pytest.raises(UserError, match=r"'lua'.*#set!"):
        grammars.compile_all()


def _settings() -> dict[str, object]:
    return dict(load_grammars()._settings)


def test_query_without_a_region_capture_finds_none() -> None:
    """It costs no file its nodes."""
    settings = load_grammars()._settings
    queries = settings["grammar_queries"]
    embedded = {**queries["Embedded"], "html": ["(script_element) @content"]}
    grammars = Grammars({**settings, "grammar_queries": {**queries, "Embedded": embedded}})
    found = parse_file(grammars, "a.html", b"<h1 id='a'>A</h1>\n<script>b()</script>\n")
    assert found.nodes and not found.reason


def test_html_table_is_a_node_with_its_header() -> None:
    """Except a layout table; one with an anchor has its name."""
    table = (
        "<table{}>\n<tr><th>Rail</th><th>Volt &amp; use</th></tr>\n<tr><td>V1</td></tr>\n</table>\n"
    )
    layout = "<table><tr><td><h2>Side</h2></td></tr></table>\n"
    text = f"<h1>Power</h1>\n<p>{'Some words. ' * 20}</p>\n"
    text += table.format("") + table.format(' id="rails"') + layout
    found = nodes("a.html", text)
    assert_properties_hold("a.html", text, found)
    assert [
        (node.logical_path, node.signature) for node in found if node.node_type == "doc_table"
    ] == [
        ("Power", "Rail | Volt & use"),
        ("Power > rails", "Rail | Volt & use"),
    ]


def test_html_code_on_the_line_of_its_container_is_a_node() -> None:
    """A container with nothing else is no node and passes on its name."""
    code = "\n".join(f"step{n} = start(clock, {n})" for n in range(12))
    prose = f"<p>{'Some words. ' * 20}</p>\n"
    boxed = f'<div class="source" id="cb1"><div><pre><code>{code}</code></pre></div></div>\n'
    text = f"<h1>Power</h1>\n{prose}{boxed}<p>As in <pre>{code}</pre></p>\n"
    found = nodes("a.html", text)
    assert_properties_hold("a.html", text, found)
    assert [(node.node_type, node.logical_path, node.start_line) for node in found] == [
        ("md_section", "Power", 1),
        ("md_codeblock", "Power > cb1", 3),
    ]


def test_anchor_link_is_not_in_the_name_of_a_heading() -> None:
    heading = '<h1 id="c">C&#182; code<a class="headerlink" href="#c">\u00b6</a></h1>'
    [found] = nodes("a.html", f"{heading}\n<p>{'Some words. ' * 20}</p>\n")
    assert found.logical_path == "C\u00b6 code"
