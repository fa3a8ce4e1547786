package acme
package shop

import scala.util.Try

/** A cart. */
@deprecated("gone", "2")
final case class Cart[T](items: List[T]) extends Base with Shape {
  val size: Int = items.size
  type Elem = T

  /** Adds an item. */
  @inline def add(item: T)(implicit ev: Ord[T]): Cart[T] = {
    def log(a: Int) = a
    copy(item :: items)
  }
  def +(other: Cart[T]): Cart[T] = this
  def this() = this(Nil)
  val twice = (a: Int) => a * 2
  implicit val order: Ordering[T] = new Ordering[T] {
    def compare(a: T, b: T) = 0
  }
}

object Cart {
  def apply[T](): Cart[T] = new Cart[T](Nil)
}

trait Shape { def area: Double }

package object util {
  def cents(euros: Int): Int = euros * 100
}

package money {
  class Price
}
