"""What can be nested in each language, and what can be left without an end?"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from parse.outlines import SAMPLES

ROOT = Path(__file__).resolve().parents[2]


class Tongue(NamedTuple):
    """How files of a language are called, what they nest and what they may leave open.

    What a nest opens with a newline at its end is indented by its depth.
    """

    path: str
    nests: tuple[tuple[str, str], ...]
    endless: tuple[str, ...] = ()


_OBJECTS = (("class A{", "}"), ("f(function(){", "})"), ("()=>{", "}"), ("if(a){", "}else{}"))
_TYPED = (*_OBJECTS, ("namespace a{", "}"), ("let a:A<", ">"))
_JVM = (("class A{", "}"), ("if(a){", "}"), ("f(", ")"), ("List<", ">"), ("a?b:", ""))
_C = (("int f(){", "}"), ("struct A{", "}"), ("#if A\n", "\n#endif"), ("a?b:", ""), ("*", ""))

TONGUES = {
    "c": Tongue("a.c", _C, ("#define A \\\n", "int a,", "A_B(", "(int)")),
    "cpp": Tongue(
        "a.cpp",
        (*_C, ("namespace a{", "}"), ("class A{", "};"), ("template<", ">"), ("[](){", "}")),
        ('R"(', "A_B ", "a::", "template<class T>\n", "class A_B\n", "<a<b>"),
    ),
    "csharp": Tongue(
        "a.cs",
        (*_JVM, ("namespace a{", "}"), ("#region\n", "\n#endregion"), ('$"{', '}"')),
        ('@"', '"""', "[A]", "#if A\n", "a=>"),
    ),
    "dart": Tongue("a.dart", (*_JVM, ("(){", "}"), ("'${", "}'")), ("'''", "r'", "///", "..a()")),
    "go": Tongue(
        "a.go",
        (("func(){", "}"), ("type A struct{", "}"), ("if a{", "}"), ("[]", ""), ("A[", "]")),
        ("func f()", "<-", "var a,"),
    ),
    "groovy": Tongue(
        "a.groovy", (*_JVM, ("{->", "}"), ('"${', '}"')), ("'''", "$/", "/a", "@A(", "a b ")
    ),
    "java": Tongue("A.java", (*_JVM, ("()->{", "}"), ("@A(", ")")), ('"""', "a->", "(A)", "A<?,")),
    "javascript": Tongue(
        "a.js", (*_OBJECTS, ("`${", "}`"), ("<a>", "</a>")), ("/a", "a=>", "<a ", "async ")
    ),
    "json": Tongue("a.json", (('{"a":', "}"), ('[{"b":[', "]}]")), ('"a":', "[1,", '"\\')),
    "kotlin": Tongue(
        "a.kt",
        (("class A{", "}"), ("fun f(){", "}"), ('"${', '}"'), ("{a->", "}"), ("A<", ">")),
        ('"""', "val a=", "a?.", "a!!", "@A "),
    ),
    "markdown": Tongue(
        "a.md",
        (("> ", ""), ("- ", ""), ("- a\n", ""), ("[", "](a)"), ("*a ", "*"), ("<b>", "</b>")),
        (
            "```\n",
            "# a\n",
            "a\n=\n",
            "|a",
            "$$",
            "~~~",
            "![",
            "<!",
            "&#",
            "_a",
            "1. ",
            "[a]:",
            "***",
        ),
    ),
    "pascal": Tongue(
        "a.pas",
        (
            ("begin ", "end;"),
            ("procedure p;", "begin end;"),
            ("type a=record ", "end;"),
            ("type a=class ", "end;"),
            ("if a then ", "else b"),
            ("{$ifdef A}", "{$endif}"),
        ),
        ("(*", "{$", "'a", "{$else}", "a,", "procedure a "),
    ),
    "php": Tongue(
        "a.php",
        (
            ("<?php class A{", "}"),
            ("<?php function f(){", "}"),
            ("<?php if(a):", "endif;"),
            ('<?php "{$a[', ']}"'),
            ("<?php [fn()=>", "]"),
        ),
        ("<?php ", "?>", "<<<A\n", "<?php <<<'A'\n", "$", "#[A(", "<?="),
    ),
    "python": Tongue(
        "a.py",
        (
            ("class A:\n", ""),
            ("def f():\n", ""),
            ("if a:\n", ""),
            ("lambda:", ""),
            ("f'{", "}'"),
            ("[a for a in ", "]"),
            ("not ", ""),
        ),
        ('"""', "'''", "@a\n", "if a:pass\n", "a if b else ", "print a,", ": "),
    ),
    "ruby": Tongue(
        "a.rb",
        (
            ("class A;", "end;"),
            ("def f;", "end;"),
            ("a{|b|", "}"),
            ('"#{', '}"'),
            ("if a;", "end;"),
            ("%w(", ")"),
        ),
        ("<<A\n", "<<~A,<<~B\n", "%q(", "=begin\n", "/a", "?", "__END__\n"),
    ),
    "rust": Tongue(
        "a.rs",
        (
            ("mod a{", "}"),
            ("fn f(){", "}"),
            ("impl A{", "}"),
            ("A<", ">"),
            ("/*", "*/"),
            ("a!{", "}"),
        ),
        ('r#"', "r##", "#[a]", "&", "'a", "|a|", "a?"),
    ),
    "scala": Tongue(
        "a.scala",
        (
            ("object A{", "}"),
            ("def f={", "}"),
            ("class A:\n", ""),
            ('s"${', '}"'),
            ("if a then\n", ""),
            ("/*", "*/"),
        ),
        ('"""', "case a=>", "a match{", "A[", "private enum "),
    ),
    "swift": Tongue(
        "a.swift",
        (
            ("class A{", "}"),
            ("func f(){", "}"),
            ("{a in ", "}"),
            ('"\\(', ')"'),
            ("#if A\n", "\n#endif"),
            ("/*", "*/"),
            ("A<", ">"),
        ),
        ('"""', '#"', "a?.", "a!", "@A ", "throws(", "unsafe "),
    ),
    "text": Tongue("a.txt", ()),
    "toml": Tongue("a.toml", (("a=[", "]"), ("a={b=", "}")), ("[[a.", "[a]\n", '"""', "a=", "a.")),
    "tsx": Tongue("a.tsx", (*_TYPED, ("<a>", "</a>"), ("<a b={", "}/>")), ("<A<", "a as ")),
    "typescript": Tongue("a.ts", (*_TYPED, ("`${", "}`")), ("a as ", "@A()", "a|", "<A>", "!a")),
    "xml": Tongue(
        "a.xml",
        (("<a>", "</a>"), ("<!DOCTYPE a[", "]>"), ("<a b='", "'/>")),
        ("<![CDATA[", "<!--", "<?a", "&a;", "<a/>", "<!ENTITY a '&a;'>", "<a b='c' ", "]]>"),
    ),
    "yaml": Tongue(
        "a.yaml",
        (("- ", ""), ("a:\n", ""), ("-\n", ""), ("{a: ", "}"), ("? ", ""), ("a: &a ", "")),
        ("---\n", "a: |\n", "*a ", "- !!a ", "'a", "%A\n", "? a\n", ": ", "a: b\n"),
    ),
}
"""Of every language that has a grammar, and of plain text."""


@cache
def real_files(language: str) -> tuple[bytes, ...]:
    """Files of a language that lie in this repository."""
    ending = Path(TONGUES[language].path).suffix
    places = (
        *SAMPLES.iterdir(),
        *ROOT.glob("*.*"),
        *ROOT.glob("docs/*"),
        *ROOT.glob("src/*/*.json"),
    )
    return tuple(place.read_bytes() for place in sorted(places) if place.suffix == ending)
