import eslint from '@eslint/js';
import perfectionist from 'eslint-plugin-perfectionist';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'release/', 'node_modules/', '.cache/', 'coverage/'] },
  eslint.configs.recommended,
  {
    plugins: { perfectionist, regexp },
    rules: {
      // Node's modules, packages, then files from the furthest folder to the nearest; a value before a type of its file.
      'perfectionist/sort-imports': [
        'error',
        {
          type: 'natural',
          newlinesBetween: 0,
          groups: ['side-effect', 'builtin', 'external', 'unknown'],
          partitionByComment: true, // so that the first lines of a file stay the first
        },
      ],
      'sort-imports': ['error', { ignoreDeclarationSort: true }],
      // Both report expressions whose cost grows faster than their input, also when no match is found.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name every export.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels.' },
      ],
    },
  },
  {
    // The dashboard shows text from outside: nothing may interpret it as HTML.
    files: ['src/dashboard/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...[
          'innerHTML',
          'outerHTML',
          'insertAdjacentHTML',
          'setHTMLUnsafe',
          'parseHTMLUnsafe',
          'createContextualFragment',
          'srcdoc',
          'write',
          'writeln',
        ].map((property) => ({ property, message: 'Use a template, textContent or an attribute.' })),
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^lit.*/(unsafe|static|style-map)', message: 'It makes HTML or inline styles of a text.' },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'DOMParser', 'eval', 'Function'],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
);
