/** Sums numbers exactly, whatever their order, as Python's `math.fsum` does. */

/** The sum, rounded once, by Shewchuk's algorithm with non-overlapping partial sums. */
export function fsum(numbers: Iterable<number>): number {
  const [one = 0, other = 0, ...rest] = numbers;
  // the sum of two numbers is rounded once as it is
  if (rest.length === 0) return one + other;
  const partials: number[] = [];
  for (const number of [one, other, ...rest]) addPartial(partials, number);
  return roundedSum(partials);
}

function addPartial(partials: number[], number: number): void {
  let [count, sum] = [0, number];
  for (const partial of partials) {
    const high = sum + partial;
    const low = roundingError(sum, partial, high);
    if (low) partials[count++] = low;
    sum = high;
  }
  partials.length = count;
  partials.push(sum);
}

/** The rounding error of a sum of two numbers. */
function roundingError(one: number, other: number, sum: number): number {
  return Math.abs(one) < Math.abs(other) ? one - (sum - other) : other - (sum - one);
}

/** The sum of growing partial sums, rounded half to even. */
function roundedSum(partials: readonly number[]): number {
  let last = partials.length - 1;
  let [high, low] = [partials[last] ?? 0, 0];
  while (last > 0 && !low) {
    const [before, partial] = [high, partials[--last]!];
    high = before + partial;
    low = roundingError(before, partial, high);
  }
  const next = partials[last - 1];
  const isSameSign = next !== undefined && Math.sign(next) === Math.sign(low);
  const doubled = high + 2 * low;
  return isSameSign && doubled - high === 2 * low ? doubled : high;
}
