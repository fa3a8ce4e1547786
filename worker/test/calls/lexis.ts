/** What the tests may call of the lexis. */

export const lexis = {};
