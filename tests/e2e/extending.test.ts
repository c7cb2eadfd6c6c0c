import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { json } from 'node:stream/consumers'
import ts from 'typescript'
import { expect, onTestFinished, test } from 'vitest'
import { documentedFiles, writeFiles } from '../support/documented-files.js'
import { root, runCli } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

/** Writes the examples of docs/extending.md to a folder outside the project. */
async function documentedFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await writeFiles(folder, await documentedFiles(join(root, 'docs/extending.md')))
  return folder
}

/** Installs the package like `npm install`. */
async function installPipeline(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/pipeline'))
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
}

/** Adds correctly, but answers 4 + 5 in words. */
async function startAdder(): Promise<string> {
  const server: Server = createServer((request, response) => {
    void json(request).then(body => {
      const [a = 0, b = 0] = ((body as { prompt: string }).prompt.match(/\d+/g) ?? []).map(Number)
      response.end(JSON.stringify({ text: a === 4 ? 'nine' : `It is ${a + b}.` }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test("runs a user's own files outside the project: backend, metric, filter and task with code", async () => {
  const folder = await documentedFolder()
  const plugins = ['mine', 'near', 'last-number'].flatMap(name => ['--plugin', `./${name}.ts`])
  const model = ['--model', 'mine', '--model-args', `model=m,url=${await startAdder()}`]
  const ended = await runCli(['eval', ...plugins, ...model, '--tasks', './sums', '--json'], { cwd: folder })
  expect(ended).toMatchObject({ code: 0 })
  const { tasks } = JSON.parse(ended.stdout) as { tasks: unknown }
  expect(tasks).toMatchObject({ sums: { 'near,digits': { value: 0.5, n: 2, total: 2, unparsed: 1 } } })
  const samples = await runCli(['report', 'last', '--samples', 'unparsed', '--json'], { cwd: folder })
  expect(samples.stdout.trim().split('\n')).toHaveLength(1)
  expect(samples.stdout).toContain('nine')
})

test('a plugin’s arguments are shown like those of a built-in model', async () => {
  const folder = await documentedFolder()
  const shown = await runCli(['models', 'show', 'mine', '--plugin', './mine.ts', '--json'], { cwd: folder })
  expect(JSON.parse(shown.stdout)).toMatchObject({
    id: 'mine',
    args: [
      { name: 'model', effect: 'output', isRequired: true },
      { name: 'url', effect: 'transport', isRequired: true },
    ],
  })
})

test('a program that uses the library evaluates and reads the scores', async () => {
  const folder = await documentedFolder()
  await installPipeline(folder)
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [tsx, 'program.ts', await startAdder()], {
    cwd: folder,
  })
  expect(stdout).toMatch(/^a It is 5\. \{ 'near,digits': 1 \}\nb nine \{ 'near,digits': 0 \}\nnear 0\.5 \[/)
})

test('documented code compiles strictly against the published types', async () => {
  const folder = await documentedFolder()
  await installPipeline(folder)
  const files = [...(await documentedFiles(join(root, 'docs/extending.md'))).keys()].filter(name =>
    name.endsWith('.ts'),
  )
  expect(files).toHaveLength(6)
  expect(problemsIn(files.map(name => join(folder, name)))).toEqual([])
})

function problemsIn(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
