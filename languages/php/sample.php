<?php

declare(strict_types=1);

namespace Acme\Shop;

use Countable;

/**
 * A cart.
 */
#[Entity]
final class Cart extends Base implements Countable
{
    use Timestamps;

    private array $items = [];

    public function __construct(private string $owner)
    {
    }

    /** Adds an item. */
    #[Pure]
    public function add(Item $item): static
    {
        $log = function () { return 1; };
        return $this;
    }

    abstract protected static function empty(): self;
}

interface Shape { public function area(): float; }

trait Timestamps
{
    public function touch(): void { }
}

enum Suit: string
{
    case Hearts = 'H';
    public function label(): string { return 'x'; }
}

if (!function_exists('price')) {
    function price(int $cents): int { return $cents; }
}

$double = fn (int $x) => $x * 2;

return new class {
    public function run() { }
};
