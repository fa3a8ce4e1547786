package acme

private enum Color(val rgb: Int):
  case Red extends Color(1)
  // In hex.
  def hex = rgb.toString

trait Ord[T]:
  def compare(x: T, y: T): Int

given intOrd: Ord[Int] with
  def compare(x: Int, y: Int): Int =
    x - y

given Ord[String] with
  def compare(x: String, y: String) = 0

extension (c: Circle)
  def area: Double = c.radius * 3

class Cart(limit: Int):
  private val items = Nil
  def count =
    val n = 1
    n + 1
  end count
end Cart

opaque type Cents = Long

@main def run(args: String*): Unit =
  println("hi")
