package acme.shop;

import java.util.Comparator;

/**
 * A cart.
 */
@Entity
public class Cart<T extends Item> implements Closeable {
    private static final int MAX = 10; // items

    /** By price. */
    static final Comparator<Item> BY_PRICE = new Comparator<>() {
        @Override
        public int compare(Item a, Item b) {
            return a.cents() - b.cents();
        }
    };

    static {
        Registry.add(Cart.class);
    }

    public Cart(String owner) {
        this.owner = owner;
    }

    /** Adds an item. */
    @Override
    @SuppressWarnings("unchecked")
    public <R> R add(final T item, int count) throws Full {
        Runnable log = new Runnable() {
            public void run() { print(item); }
        };
        return null;
    }

    void drop(int index) {} void drop(T item) {}

    record Line(Item item, int count) {
        Line {
            check(count);
        }
    }

    enum Size {
        SMALL,
        LARGE {
            @Override int cents() { return 2; }
        };

        int cents() { return 1; }
    }

    @interface Audited {
        String by() default "nobody";
    }

    class Inner {
        class Deep {
            void go() {}
        }
    }
}

sealed interface Shape permits Circle {
    double area();
}
