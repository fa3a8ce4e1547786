/** What are numbers together? The nearest double, whatever their order: Python's `math.fsum`. */

/** Their sum, rounded once. Shewchuk's: partial sums that do not overlap keep what is rounded off. */
export function fsum(numbers: Iterable<number>): number {
  const partials: number[] = [];
  for (const one of numbers) {
    let [kept, sum] = [0, one];
    for (const partial of partials) {
      const [high, low] = twoSum(sum, partial);
      if (low) partials[kept++] = low;
      sum = high;
    }
    partials.length = kept;
    partials.push(sum);
  }
  return rounded(partials);
}

/** The rounded sum of two, and what is rounded off. */
function twoSum(one: number, other: number): [number, number] {
  const [large, small] = Math.abs(one) < Math.abs(other) ? [other, one] : [one, other];
  const high = large + small;
  return [high, small - (high - large)];
}

/** The sum of partial sums that grow; what lies half way between two doubles goes to the even one. */
function rounded(partials: readonly number[]): number {
  let at = partials.length - 1;
  let [high, low] = [partials[at] ?? 0, 0];
  while (at > 0 && !low) [high, low] = twoSum(high, partials[--at]!);
  const next = partials[at - 1];
  const doubled = high + 2 * low;
  const goesOn = next !== undefined && Math.sign(next) === Math.sign(low);
  const isHalf = goesOn && doubled - high === 2 * low;
  return isHalf ? doubled : high;
}
