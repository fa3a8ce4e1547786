/** Sums numbers exactly, whatever their order, as Python's `math.fsum` does. */

/** The sum, rounded once, by Shewchuk's algorithm with non-overlapping partial sums. */
export function fsum(numbers: Iterable<number>): number {
  const partials: number[] = [];
  for (const one of numbers) add(partials, one);
  return rounded(partials);
}

function add(partials: number[], one: number): void {
  let [kept, sum] = [0, one];
  for (const partial of partials) {
    const high = sum + partial;
    const low = lost(sum, partial, high);
    if (low) partials[kept++] = low;
    sum = high;
  }
  partials.length = kept;
  partials.push(sum);
}

/** The rounding error of a sum of two numbers. */
function lost(one: number, other: number, sum: number): number {
  return Math.abs(one) < Math.abs(other) ? one - (sum - other) : other - (sum - one);
}

/** The sum of growing partial sums, rounded half to even. */
function rounded(partials: readonly number[]): number {
  let at = partials.length - 1;
  let [high, low] = [partials[at] ?? 0, 0];
  while (at > 0 && !low) {
    const [before, partial] = [high, partials[--at]!];
    high = before + partial;
    low = lost(before, partial, high);
  }
  const next = partials[at - 1];
  const goesOn = next !== undefined && Math.sign(next) === Math.sign(low);
  const doubled = high + 2 * low;
  return goesOn && doubled - high === 2 * low ? doubled : high;
}
