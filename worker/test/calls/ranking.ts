/** What the tests may call of the ranking. */

export const ranking = {};
