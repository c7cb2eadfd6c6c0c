import { execFileSync } from 'node:child_process'
import { readFileSync, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ESLint } from 'eslint'
import ts from 'typescript'
import tseslint from 'typescript-eslint'
import { describe, expect, test } from 'vitest'
import { validateTaskFolder } from '../stages/input/tasks/validate-folder.js'
import { root } from './support/cli.js'
import { temporaryFolder } from './support/store.js'

interface Package {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package
const page = (name: string): string => readFileSync(join(root, name), 'utf8')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter(file => existsSync(join(root, file)))

test('dependencies have exact versions, so that installations are repeatable', () => {
  const { '@types/node': types, ...exact } = {
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  }
  expect(Object.values(exact).filter(version => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  // The types of the oldest Node that is supported, of which the lock names the version.
  expect(types).toBe('22')
})

test('the ONNX runtime is optional, and only modules that compute with it import it', () => {
  expect(Object.keys(manifest.dependencies)).not.toContain('onnxruntime-node')
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['onnxruntime-node'])
  expect(page('docs/guide.md')).toContain(`onnxruntime-node@${manifest.optionalDependencies['onnxruntime-node'] ?? ''}`)
  const importing = tracked.filter(
    file => /^(src|stages|cache|base)\/.*\.ts$/.test(file) && /from 'onnxruntime-node'/.test(page(file)),
  )
  expect(importing).toEqual(['stages/model/backends/onnx-vlm/networks.ts'])
  const users = tracked.filter(
    file =>
      /^(src|stages|cache|base)\/.*\.ts$/.test(file) &&
      /from '.*onnx-vlm\/(engine|networks|worker)\.js'/.test(page(file)),
  )
  expect(users).toEqual([])
})

test('the installed package contains all files that the program reads, and none for development', () => {
  const line = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', line, { cwd: root, encoding: 'utf8', stdio: 'pipe' })) as {
    files: { path: string }[]
  }[]
  const paths = packed?.files.map(({ path }) => path) ?? []
  const needed = ['LICENSE', 'docs/guide.md', 'examples/quickstart.yaml', 'examples/tinyvlm/onnx/embed_tokens.onnx']
  const read = tracked.filter(path => /^tasks\/.*\.(ya?ml|ts|br)$/.test(path) && !path.endsWith('.d.ts'))
  expect([...needed, ...read].filter(path => !paths.includes(path))).toEqual([])
  expect(paths.filter(path => /^(tests|bench|dist\/bench)\/|\.map$|\.tsbuildinfo$/.test(path))).toEqual([])
})

test('every built-in task loads', async () => {
  const { problems, tasks } = await validateTaskFolder(join(root, 'tasks'), { cacheDir: await temporaryFolder() })
  expect(problems).toEqual([])
  expect(tasks.length).toBeGreaterThanOrEqual(3)
})

describe('the layer rule', () => {
  // The rule needs no types; with them, files are read from the disk, and not the text that is given here.
  const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] })
  const messages = async (file: string, code: string): Promise<readonly string[]> => {
    const [result] = await eslint.lintText(code, { filePath: join(root, file) })
    return (
      result?.messages.filter(({ ruleId }) => ruleId === 'no-restricted-imports').map(({ message }) => message) ?? []
    )
  }
  const importing = (path: string): string => `import { x } from '${path}'\nexport const y = x\n`

  test.each([
    ['base/errors/errors.ts', '../cache/keys.js', /one way/],
    ['cache/keys.ts', '../stages/judge/judge.js', /one way/],
    ['cache/sqlite/rows.ts', '../../src/plan.js', /one way/],
    ['stages/input/ingest.ts', '../model/infer.js', /never imports another stage/],
    ['stages/model/schedule/loop/retry.ts', '../../judge/judge.js', /never imports another stage/],
    ['stages/model/infer.ts', '../input/ingest.js', /never imports another stage/],
    ['stages/judge/metrics/anls.ts', '../../input/ingest.js', /never imports another stage/],
    ['stages/judge/judge.ts', '../../src/plan.js', /one way/],
    ['tasks/shapes_vqa/utils.ts', '../../stages/model/infer.js', /helpers of input and judge/],
  ])('rejects an import of %s from %s', async (file, path, reason) => {
    expect(await messages(file, importing(path))).toEqual([expect.stringMatching(reason)])
  })

  test.each([
    ['stages/judge/judge.ts', '../../cache/store.js'],
    ['stages/input/datasets/csv.ts', '../tasks/doc.js'],
    ['src/evaluation/plan.ts', '../../stages/model/infer.js'],
  ])('allows %s to import %s', async (file, path) => {
    expect(await messages(file, importing(path))).toEqual([])
  })
})

test('only configuration files of tools have a default export', async () => {
  const sources = tracked.filter(
    file =>
      /\.[mc]?[jt]s$/.test(file) &&
      !/^(\.dependency-cruiser\.mjs|[^/]+\.config\.[jt]s|src\/web\/vite\.config\.ts|tests\/fixtures\/logs\/promptfoo\/provider\.mjs)$/.test(
        file,
      ),
  )
  const texts = await Promise.all(sources.map(async file => [file, await readFile(join(root, file), 'utf8')] as const))
  expect(texts.filter(([, text]) => /^export default\b/m.test(text)).map(([file]) => file)).toEqual([])
})

test('an argument declared neither as affecting the output nor as transport does not compile', () => {
  const problems = problemsIn('tests/fixtures/types/undeclared-argument.ts')
  expect(problems).toEqual([expect.stringMatching(/^8: .*is not assignable to type 'Declared/s)])
})

/** `line: message` of what the compiler says of one file of the project. */
function problemsIn(file: string): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), path => ts.sys.readFile(path)) as { config: object }
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file], include: [] }, ts.sys, root)
  const program = ts.createProgram([join(root, file)], { ...options, noEmit: true, incremental: false })
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(join(root, file)))
    .map(({ file: source, start, messageText }) => {
      const { line } = source?.getLineAndCharacterOfPosition(start ?? 0) ?? { line: -1 }
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
}
