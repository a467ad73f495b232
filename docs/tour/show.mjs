// Prints the few lines of a proposal that matter, from its JSON on standard input.
let text = '';
for await (const chunk of process.stdin) text += chunk;
const { id, state, effects, expiresAt, error } = JSON.parse(text);
if (error !== undefined) {
  console.error(`${error.type}: ${error.message}`);
  process.exit(1);
}
console.log(`${id} is ${state}: ${effects.count} changes, to be decided before ${expiresAt}`);
