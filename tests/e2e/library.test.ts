import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../support/cli.js'
import { documentedFiles } from '../support/documented-files.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { installPackage } from '../support/installed-package.js'

const run = promisify(execFile)
const programs = join(root, 'tests/library/programs')
const tsconfig = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    outDir: 'built',
    rootDir: '.',
    // The package's declarations must compile by themselves.
    skipLibCheck: false,
  },
  include: ['*.ts'],
}

/** Node before 22.18 strips types only if it is told to. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const stripTypes = major === 22 && minor < 18 ? ['--experimental-strip-types'] : []

/** A package of a user's own, outside the project. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  await installPackage(folder)
  await cp(programs, folder, { recursive: true })
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const compile = (): Promise<string> =>
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  )

test('the public types import no database driver', async () => {
  const { stdout } = await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
    '--listFilesOnly',
  ])
  const declarations = stdout.split('\n').filter(file => file.includes('node_modules/pipeline/dist/'))
  expect(declarations.length).toBeGreaterThan(100)
  expect(declarations.filter(file => file.includes('/cache/sqlite/'))).toEqual([])
})

describe('the package outside its repository', () => {
  beforeAll(async () => {
    expect(await compile()).toBe('')
    // The compiler does not copy data files.
    await cp(join(programs, 'questions.jsonl'), join(folder, 'built/questions.jsonl'))
  })

  test.each([
    ['as Node runs the .ts files', (name: string) => [...stripTypes, join(folder, name)]],
    ['after tsc', (name: string) => [join(folder, 'built', name.replace('.ts', '.js'))]],
  ])('has programs that print what docs/library.md says, %s', async (way, line) => {
    const server = await spawnFakeOpenai(['--text', 'blue'])
    onTestFinished(() => server.stop())
    const shown = await documentedFiles(join(root, 'docs/library.md'))
    const names = (await readdir(programs)).filter(
      name => name.endsWith('.ts') && shown.has(name.replace('.ts', '.out')),
    )
    expect(names).toHaveLength(9)
    for (const name of names) {
      const { stdout, stderr } = await run(process.execPath, ['--no-warnings', ...line(name)], {
        cwd: folder,
        env: {
          ...process.env,
          PIPELINE_STORE: join(folder, 'stores', way, name),
          OPENAI_BASE_URL: server.url,
          OPENAI_API_KEY: 'sk-test',
        },
      })
      expect(stderr).toBe('')
      expect(`${name}\n${stdout}`).toBe(`${name}\n${shown.get(name.replace('.ts', '.out')) ?? ''}`)
    }
  })

  test("has a command that evaluates a user's own task file", async () => {
    const bin = join(folder, 'node_modules/pipeline/dist/src/cli/bin.js')
    const line = ['eval', '--model', 'dummy', '--tasks', './colours.task.ts', '--store', 'cli-store', '--json']
    const { stdout } = await run(process.execPath, [bin, ...line], { cwd: folder })
    expect(JSON.parse(stdout)).toMatchObject({ tasks: { colours: { exact: { n: 2 } } } })
  })

  test('loads no backend and no metric when imported', async () => {
    const coverage = join(folder, 'coverage')
    await writeFile(join(folder, 'loading.mjs'), `await import('pipeline')\n`)
    // V8's coverage lists every file that was loaded.
    await run(process.execPath, [join(folder, 'loading.mjs')], {
      cwd: folder,
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
    })
    const [file = ''] = await readdir(coverage)
    const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as { result: { url: string }[] }
    const loaded = result.map(({ url }) => url.replace(/^.*\//, ''))
    expect(loaded).toContain('index.js')
    const definition = /^(openai|presets|anthropic|gemini|vllm|dummy|exact-match|sacrebleu|bleu|rouge|math-equal)-/
    expect(loaded.filter(name => definition.test(name))).toEqual([])
    const built = await readdir(join(folder, 'node_modules/pipeline/dist/program'))
    expect(built.filter(name => definition.test(name)).length).toBeGreaterThan(5)
  })
})
