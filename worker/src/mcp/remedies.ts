/** What does a message tell a model to do? To ask a tool, where it names a command. */

const OUTLINE = /feeder outline (\S+)/g;

/** The same with tools for the commands that are tools too. */
export function commandsToTools(text: string): string {
  return text.replace(OUTLINE, 'the outline tool with path "$1"');
}
