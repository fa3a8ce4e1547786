"""Compares the packages of Go by their names, where no import leads to a definition's folder."""

from feeder.relations.file_facts import FileFacts
from feeder.relations.modules import Definition
from feeder.relations.outcomes import Evidence, Reason, Resolution, elsewhere, possible, resolved_if


def go_package_refers(
    definition: Definition, facts: FileFacts, receiver: str, is_in_import: bool
) -> Resolution:
    """Compares a receiver of Go with a definition's package by name, if no import leads there.

    A package may have another name than its folder: `package yaml` in `go-yaml/`. The path of the
    root's package is not known, so the name alone decides there. The answer is `possible` if the
    definition's file does not tell its package, or the imports do not tell the receiver's.
    """
    package = definition.package.partition(".")[0]
    if "." in receiver or receiver.endswith("()") or (package and receiver != package):
        return elsewhere(Evidence.ANOTHER_MODULE)
    is_imported = receiver in facts.package_names
    if "/" not in definition.path:
        if is_imported:
            return resolved_if(bool(package), Reason.MODULE)
        return possible(Reason.MODULE) if package else elsewhere(Evidence.ANOTHER_MODULE)
    if is_imported:
        return elsewhere(Evidence.ANOTHER_MODULE)
    if package:
        return resolved_if(is_in_import, Reason.MODULE)
    return possible(Reason.MODULE) if is_in_import else elsewhere(Evidence.ANOTHER_MODULE)
