/** What the tests may call of the shell. */

export const shell = {};
