// What VS Code's chat sends, for tests of the development model.
/** As VS Code 1.139 sends it. */
export const WORKSPACE = `<environment_info>
The user's current OS is: Linux
</environment_info>
<workspace_info>
I am working in a workspace with the following folders:
- /home/ada/the shop 
I am working in a workspace that has the following structure:
\`\`\`
README.md
shop.mjs
\`\`\`
</workspace_info>
`;
/** The same with the user's words. */
export const wrapped = (words: string) => `<context>
The current date is 2026-11-22.
</context>
<reminderInstructions>
When using the insert_edit_into_file tool, avoid repeating existing code. It is faster than read_file.
</reminderInstructions>
<userRequest>
${words}
</userRequest>
`;
