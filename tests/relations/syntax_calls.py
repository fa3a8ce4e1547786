"""Files whose methods are called by syntax without their name, a file for each language.

A line that ends in `§ KIND` declares a method with such calls; `§` alone, one without.
"""

import re

MARK = re.compile(r" *§ ?(.*)$")

CASES: dict[str, tuple[str, str]] = {
    "python": (
        "cart.py",
        """class Cart:
    def __add__(self, other): § calls through operators
        return self
    def __contains__(self, item): § calls through operators
        return False
    def __getitem__(self, at): § calls by indexing
        return at
    def __enter__(self): § calls in `with` statements
        return self
    def __iter__(self): § calls in loops
        return iter(())
    def __call__(self): § calls of the object itself
        return 1
    def __getattr__(self, name): § accesses of attributes that call it
        return name
    def __len__(self): § calls through syntax and built-in functions
        return 1
    def add(self): §
        return 1
    def _add(self): §
        return 1
""",
    ),
    "ruby": (
        "cart.rb",
        """class Cart
  def +(other) § uses of operators
    self
  end
  def [](at) § uses of operators
    at
  end
  def to_s § calls by string interpolation
    "x"
  end
  def each(&block) § calls in `for` loops and through Enumerable
    nil
  end
  def method_missing(name, *rest) § calls of missing methods and constants
    name
  end
  def self.inherited(other) § calls through the declaration of a class or method
    other
  end
  def each_item §
    nil
  end
end
""",
    ),
    "kotlin": (
        "Cart.kt",
        """package shop

class Cart {
    operator fun plus(other: Cart): Cart = other § calls through operators
    operator fun get(at: Int): Int = at § calls by indexing
    operator fun invoke(): Int = 1 § calls of the value itself
    operator fun component1(): Int = 1 § calls by destructuring
    operator fun iterator(): Iterator<Int> = all() § calls in `for` loops
    override fun toString(): String = "x" § calls in string templates
    fun add(other: Int): Int = other §
    fun all(): Iterator<Int> = TODO()
}

operator fun Cart.minus(other: Cart): Cart = other § calls through operators
""",
    ),
    "java": (
        "Cart.java",
        """package shop;
class Cart implements Iterable<String>, AutoCloseable {
  public String toString() { return "x"; } § calls by string concatenation
  public java.util.Iterator<String> iterator() { return null; } § calls in `for` loops
  public void close() {} § calls in `try` statements with resources
  public void closeAll() {} §
}
""",
    ),
    "csharp": (
        "Cart.cs",
        """namespace Shop;
class Cart {
  public static Cart operator +(Cart a, Cart b) { return a; } § uses of operators
  public static implicit operator int(Cart a) => 1; § calls through operators and conversions
  public int this[int at] { get { return at; } } § calls by indexing
  public override string ToString() { return "x"; } § calls by string interpolation
  public void Dispose() { } § calls in `using` statements
  public void Deconstruct(out int a) { a = 1; } § calls by deconstruction
  ~Cart() { Close(); } § calls at the end of the object
  public void Fill() { } §
}
""",
    ),
    "dart": (
        "cart.dart",
        """class Cart {
  Cart operator +(Cart other) { return other; } § uses of operators
  String toString() { return 'x'; } § calls by string interpolation
  int call() { return 1; } § calls of the object itself
  int fill() { return 1; } §
}
""",
    ),
    "scala": (
        "Cart.scala",
        """package shop

class Cart {
  def +(other: Cart): Cart = other § uses of operators
  def apply(at: Int): Int = at § calls of the object itself
  def unapply(at: Int): Option[Int] = None § calls in patterns
  def map(f: Int => Int): Cart = this § calls in `for` expressions
  override def toString: String = "x" § calls by string interpolation
  def unary_- : Cart = this § calls through operators
  def fill(): Cart = this §
}

object Cart {
  implicit def fromInt(n: Int): Cart = new Cart § implicit uses
}
""",
    ),
    "swift": (
        "Cart.swift",
        """struct Cart {
    static func + (a: Cart, b: Cart) -> Cart { return a } § uses of operators
    subscript(at: Int) -> Int { return at } § calls by indexing
    func callAsFunction() -> Int { return 1 } § calls of the value itself
    var description: String { return "x" } § calls by string interpolation
    func makeIterator() -> Other { return Other() } § calls in `for` loops
    func fill() -> Int { return 1 } §
}

class Other {
    deinit { print(1) } § calls at the end of the object
}
""",
    ),
    "rust": (
        "cart.rs",
        """pub struct Cart;

impl std::ops::Add for Cart {
    type Output = Cart;
    fn add(self, other: Cart) -> Cart { § calls through operators
        other
    }
}

impl std::ops::Index<usize> for Cart {
    type Output = u8;
    fn index(&self, at: usize) -> &u8 { § calls by indexing
        &1
    }
}

impl Drop for Cart {
    fn drop(&mut self) {} § calls at the end of the value
}

impl std::fmt::Display for Cart {
    fn fmt(&self, f: &mut Formatter) -> Result { § calls through macros that format
        Ok(())
    }
}

impl From<u8> for Cart {
    fn from(n: u8) -> Self { § calls through `?`, `into()` and `parse()`
        Cart
    }
}

impl Cart {
    fn fill(&mut self) {} §
}
""",
    ),
    "php": (
        "Cart.php",
        """<?php
class Cart {
    public function __toString() { return "x"; } § conversions to a string
    public function __invoke() { return 1; } § calls of the object itself
    public function __get($name) { return 1; } § accesses of missing members
    public function offsetGet($at) { return 1; } § calls by indexing
    public function fill() { return 1; } §
}
""",
    ),
    "cpp": (
        "cart.cpp",
        """class Cart {
 public:
  Cart operator+(Cart other) { return other; } § calls through operators and conversions
  operator bool() const { return true; } § calls through operators and conversions
  ~Cart() { } § calls at the end of the object
  int *begin() { return 0; } § calls in `for` loops
  int fill() { return 1; } §
};
""",
    ),
    "typescript": (
        "cart.ts",
        """export class Cart {
  [Symbol.iterator]() { return null; } § calls in loops
  [Symbol.toPrimitive](hint: string) { return 1; } § calls through syntax and built-in functions
  toString() { return "x"; } § conversions to a string, number or JSON
  then(done: () => void) { done(); } § calls in `await` expressions
  fill() { return 1; } §
}
""",
    ),
    "javascript": (
        "cart.js",
        """class Cart {
  *[Symbol.iterator]() { yield 1; } § calls in loops
  toJSON() { return 1; } § conversions to a string, number or JSON
  fill() { return 1; } §
}
""",
    ),
    "groovy": (
        "Cart.groovy",
        """class Cart {
    Cart plus(Cart other) { other } § calls through operators
    Cart getAt(int at) { this } § calls by indexing
    Cart call() { this } § calls of the object itself
    Cart fill() { this } §
}
""",
    ),
    "pascal": (
        "cart.pas",
        """unit Cart;
interface
type
  TCart = class
    destructor Destroy; override;
    procedure Fill;
  end;
implementation
destructor TCart.Destroy; § calls through `Free`
begin
end;
procedure TCart.Fill;
begin
  Log(1);
end;
end.
""",
    ),
    "go": (
        "cart.go",
        """package shop

func init() { § calls at the start of the program
	_ = 1
}

func fill() { §
	_ = 1
}
""",
    ),
}


def plain(marked: str) -> str:
    """The text of a file without its marks."""
    return "\n".join(MARK.sub("", line) for line in marked.split("\n"))
