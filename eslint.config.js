import tseslint from 'typescript-eslint'
import { docOpenings } from './scripts/doc-openings.mjs'
import { functionNames } from './scripts/function-names.mjs'

/** Dependencies point one way: src → stages → cache → base. A stage never imports another stage. */
const layer = (files, ...forbidden) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: forbidden.map(([regex, message]) => ({ regex, message })) }],
  },
})
const up = (folders, message) => [`^(\\.\\./)+(${folders})(/|$)`, message]

const oneWay = 'dependencies point one way: src → stages → cache → base'
const noOtherStage = 'a stage never imports another stage: they meet in the store'

const namedExports = { selector: 'ExportDefaultDeclaration', message: 'named exports only' }

// Programs and the command line name options differently, so texts that reach both refer to them (base/errors/option-words.ts).
const ownWords =
  '(?:^|[\\s("\'`])--[a-z]|\\bpipeline (?:blame|cache|compare|eval|export|import|infer|judge|mcp|models|power|recheck|repro|report|resume|runs|serve|stability|tasks|ui|version|worker)\\b'
const noCommandLineWords = ['Literal[value=', 'TemplateElement[value.raw='].map(text => ({
  selector: `${text}/${ownWords}/]`,
  message:
    "write option('name') or command('name') of base/errors/option-words.ts: only the command line spells flags and commands",
}))

/** Files that give flags to other programs: engines, npm, git, Node. */
const flagsOfOthers = [
  'stages/model/backends/{llama-cpp,lmdeploy,ollama,sglang,vllm}.ts',
  'stages/model/backends/engines/*.ts',
  'base/processes/module-process.ts',
  'stages/model/backends/transformers-js/library.ts',
  'cache/bundle/parts/part-threads.ts',
  'cache/code/{code-manifest,describe-sources}.ts',
]

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'examples/tinyvlm/', 'tests/fixtures/', 'tests/cases/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.all.json', './src/web/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', namedExports],
    },
  },
  {
    files: ['base/**', 'cache/**', 'stages/**', 'src/{cost,evaluation,judging,model,preview}/**'],
    ignores: flagsOfOthers,
    rules: { 'no-restricted-syntax': ['error', namedExports, ...noCommandLineWords] },
  },
  {
    files: ['base/**', 'cache/**', 'stages/**', 'src/**'],
    plugins: { own: { rules: { 'doc-openings': docOpenings, 'function-names': functionNames } } },
    rules: { 'own/doc-openings': 'error', 'own/function-names': 'error' },
  },
  {
    files: ['base/**', 'cache/**', 'stages/**', 'src/**'],
    ignores: ['src/config/variables.ts', 'src/cli/this-process/process-variables.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/config/variables.ts reads the environment: take it as a value',
        },
      ],
    },
  },
  layer(['base/**'], up('cache|stages|src|tasks', oneWay)),
  layer(['cache/**'], up('stages|src|tasks', oneWay)),
  // It has a folder `tasks/` of its own, which is fewer steps up than the one of the benchmarks.
  ...[2, 3, 4].map(steps =>
    layer(
      [`stages/input/${'*/'.repeat(steps - 2)}*.ts`],
      up('src', oneWay),
      [`^(\\.\\./){${steps},}tasks(/|$)`, oneWay],
      up('model|judge', noOtherStage),
    ),
  ),
  layer(['stages/model/**'], up('src|tasks', oneWay), up('input|judge', noOtherStage)),
  layer(['stages/judge/**'], up('src|tasks', oneWay), up('input|model', noOtherStage)),
  layer(
    ['src/**'],
    up('cache/(sqlite|postgres)', 'only cache/open.ts opens a store of a kind: use its interface, cache/store.ts'),
  ),
  layer(['tasks/**'], up('src', oneWay), up('stages/model', 'a task imports only the helpers of input and judge')),
  layer(
    ['src/web/**'],
    up(
      'cache|stages|base(?!/text/(numbers|beginning|search-spans))|(?!base/text/(numbers|beginning|search-spans)|present/page/(data|sample-filter)|reading/samples/(sample-kinds|doc-kinds|doc-names|number-ranges)|parts/)[a-z-]+/[a-z-]+',
      'of the rest, the pages know only src/present/page/data, its filter of samples, the kinds, names and ranges of samples in src/reading and three files of base/text',
    ),
  ),
  {
    files: ['*.config.{js,ts}', 'src/web/vite.config.ts', '.dependency-cruiser.mjs'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['tests/**', 'bench/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', 'no-console': 'off' },
  },
  { files: ['scripts/**', '.ci/**', 'src/cli/display/terminal.ts'], rules: { 'no-console': 'off' } },
)
