"""XML: elements with their paths."""

from parse.outlines import assert_properties_hold, document_nodes, nodes, texts

POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- The build of the shop. -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <artifactId>shop</artifactId>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
  </parent>
  <!-- for the page
       of results -->
  <dependency>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-web</artifactId>
  </dependency>
  <dependency><artifactId>tiny</artifactId></dependency>
  <dependency>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-test</artifactId>
  </dependency>
</project>
"""


def test_large_elements_are_nodes() -> None:
    """Several of one name are numbered from 1, including small ones."""
    assert document_nodes("pom.xml", POM) == [
        ("xml_element", "project", 1, 20),
        ("xml_element", "project/parent", 5, 8),
        ("xml_element", "project/dependency[1]", 9, 14),
        ("xml_element", "project/dependency[3]", 16, 19),
    ]


def test_rest_is_the_text_of_the_root() -> None:
    """The prolog, small elements and the closing tag."""
    assert texts("pom.xml", POM)["project"] == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- The build of the shop. -->\n'
        '<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
        "  <artifactId>shop</artifactId>\n"
        "  <dependency><artifactId>tiny</artifactId></dependency>\n</project>"
    )


def test_prefixes_self_closing_elements_and_cdata_are_kept() -> None:
    """Names include the prefix."""
    words = "words that make the element long enough to be a node of its own, which takes a hundred"
    text = f"""\
<soap:Envelope xmlns:soap="urn:soap">
  <soap:Header value="{words}" more="and more"/>
  <soap:Body><![CDATA[ <not> & an element, but {words} ]]></soap:Body>
</soap:Envelope>
"""
    assert document_nodes("call.xml", text) == [
        ("xml_element", "soap:Envelope", 1, 4),
        ("xml_element", "soap:Envelope/soap:Header", 2, 2),
        ("xml_element", "soap:Envelope/soap:Body", 3, 3),
    ]


def test_mixed_content_is_not_split() -> None:
    link = f'<link href="https://example.com/{"x" * 100}">here</link>'
    assert document_nodes("doc.xml", f"<p>Read more\n{link}\nand there.</p>\n") == [
        ("xml_element", "p", 1, 3)
    ]
    assert document_nodes("doc.xml", f"<p>\n{link}\n</p>\n") == [
        ("xml_element", "p", 1, 3),
        ("xml_element", "p/link", 2, 2),
    ]


def test_extensions_of_xml_dialects() -> None:
    """Schemas, projects and resources are XML; HTML and SVG are text."""
    for path in ("a.xsd", "b.csproj", "c.plist", "d.resx", "web.config", "e.lpi"):
        assert nodes(path, "<a/>")[0].node_type == "xml_element"
    for path in ("a.html", "b.svg", "other.config"):
        assert nodes(path, "<a/>")[0].node_type == "chunk"


def test_invalid_xml_loses_nothing() -> None:
    """Nor do deeply nested files."""
    for text in (
        "<a><b></a>",
        "<a>\n<b c=>\n</a>",
        "just words",
        "<a/><b/>",
        "<a>" * 400 + "x" + "</a>" * 400,
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    ):
        assert_properties_hold("x.xml", text, nodes("x.xml", text))
