import { Item } from "./item";

/** How prices are shown. */
export type Format = (cents: number) => string;

export const format: Format = (cents) => `${cents / 100} €`;

export function parse(text: string): Item;
export function parse(text: string, strict: boolean): Item;
export function parse(text: string, strict = false): Item {
  return { name: text, cents: strict ? 0 : 1 };
}

/**
 * A cart.
 */
@Injectable()
export abstract class Cart<T extends Item> extends Store implements Iterable<T> {
  private items: T[] = [];
  static count = 0; // of all carts

  constructor(private readonly owner: string) {
    super();
  }

  // Doubles are fine.
  add = async (item: T) => {
    this.items.push(item);
  };

  abstract close(): void;

  get total(): number {
    return this.items.reduce((sum, item) => sum + item.cents, 0);
  }

  *[Symbol.iterator]() {
    yield* this.items;
  }
}

export namespace shop {
  export interface Shape {
    area: number;
    scale(by: number): Shape;
  }

  export enum Size { Small, Large }

  export function open(): void {}
}

export const routes = {
  home: () => "/",
  cart(id: number) { return `/cart/${id}`; },
} as const;

export default function () {
  return routes.home();
}
