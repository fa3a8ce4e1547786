/** What the tests may call of the store. */

export const store = {};
