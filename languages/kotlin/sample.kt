@file:JvmName("Carts")

package acme.shop

import kotlin.math.max

typealias Prices = Map<String, Int>

/** A cart. */
@Serializable
open class Cart<T : Item>(val owner: String) : Store(owner), Closeable {
    private val items = mutableListOf<T>()

    /** How many. */
    val size: Int
        get() = items.size

    var discount: Int = 0
        get() { return max(field, 0) }
        set(value) { field = value }

    var open = true
        private set

    init {
        require(owner.isNotBlank())
    }

    constructor(owner: String, first: T) : this(owner) {
        items += first
    }

    @Synchronized
    suspend fun add(item: T, count: Int = 1): Boolean {
        fun once() = items.add(item)
        return (1..count).all { once() }
    }

    override fun close() = Unit

    private val listener = object : Listener {
        override fun changed() = close()
    }

    companion object {
        const val MAX = 10
        fun of(owner: String) = Cart<Item>(owner)
    }

    enum class Size(val cents: Int) {
        SMALL(1),
        LARGE(2) {
            override fun label() = "L"
        };

        abstract fun label(): String
    }
}

class Store {
    companion object Factory {
        fun make() = Store()
    }
}

object Registry {
    val known = setOf<String>()
}

fun String.shout(): String = uppercase()

fun <T> List<T>.second(): T? = getOrNull(1)

val Cart<*>.isEmpty: Boolean
    get() = size == 0

sealed interface Shape
data class Circle(val radius: Double) : Shape
