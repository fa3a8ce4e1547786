package acme.shop

import groovy.transform.ToString

/**
 * A cart.
 */
@ToString(includes = "owner")
class Cart extends Store implements Closeable {
    private final List<Item> items = []
    String owner

    Cart(String owner) {
        this.owner = owner
    }

    /** Adds an item. */
    @Override
    void add(Item item, int count = 1) {
        count.times { items.add(item) }
    }

    List<Item> sorted() {
        items.sort { it.cents }
    }

    static enum Size { SMALL, LARGE }

    class Line {
        def label() { "line" }
    }
}

interface Shape {
    double area()
}

class CartSpec extends Specification {
    @Issue("https://example.com/1")
    def "adds #count items"() {
        expect:
        new Cart("me").add(item, count)
    }
}

def restock(items) {
    items.each { println it }
}
