import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** The rules for style and for mistakes. The rules for imports are in .dependency-cruiser.mjs. */
export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'explorer/built/**',
      'node_modules/**',
      '.demo/**',
      'clients/*/dist/**',
      'clients/*/src/schema.ts',
    ],
  },
  ...tseslint.configs.strict,
  {
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // A variable or parameter whose name begins with `_` is unused on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
    },
  },
  {
    // Rules that need the types: a promise that nobody waits for, and a switch that lacks a case.
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['clients/*/examples/*.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // Every regular expression may be applied to text of strangers, so it must not need more than linear
    // time.
    files: ['src/**', 'scripts/**', 'docker/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'potential', ignoreSticky: false, ignorePartial: false },
      ],
    },
  },
  {
    // The service and its commands must work without the folders tools, lab and test. dependency-cruiser checks
    // imports; this rule checks paths in strings, as in `new URL`.
    files: ['src/**', 'scripts/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['Literal[value=/PATH/]', 'TemplateElement[value.raw=/PATH/]'].map((selector) => ({
          selector: selector.replace('PATH', String.raw`\.\.\u002F(?:tools|lab|test)\u002F`),
          message: 'src and scripts load nothing from tools, lab or test',
        })),
      ],
    },
  },
  {
    files: ['scripts/**', 'tools/**', 'lab/**', 'test/**', 'docker/**', 'clients/*/examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // Tests read JSON responses as clients do, without a type.
    files: ['test/**'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' },
  },
);
