import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Style and mistakes; what may import what is in .dependency-cruiser.mjs. */
export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.demo/**', 'clients/*/dist/**', 'clients/*/src/schema.ts'] },
  ...tseslint.configs.strict,
  {
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // A name with `_` says that it is there to be left out.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
    },
  },
  {
    // A pattern meets strangers' text sooner or later, and then costs what its length does and no more.
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
    // What ships works without the workbench. dependency-cruiser sees imports; this sees paths in strings, as in `new URL`.
    files: ['src/**', 'scripts/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['Literal[value=/PATH/]', 'TemplateElement[value.raw=/PATH/]'].map((selector) => ({
          selector: selector.replace('PATH', String.raw`\.\.\u002F(?:tools|test)\u002F`),
          message: 'src and scripts load nothing from tools or test',
        })),
      ],
    },
  },
  {
    files: ['scripts/**', 'tools/**', 'test/**', 'docker/**', 'clients/*/examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // Tests read JSON as clients do, without a type.
    files: ['test/**'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' },
  },
);
