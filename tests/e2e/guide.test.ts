import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, runCli, type Ended } from '../support/cli.js'
import { documentedFiles, writeFiles } from '../support/documented-files.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { temporaryFolder } from '../support/store.js'

/** The command lines of a page, in order, as arguments. */
async function documentedCommands(page: string): Promise<readonly string[][]> {
  const lines = (await readFile(page, 'utf8')).split('\n')
  return lines.flatMap(line => {
    const command = /^ {4}pipeline (.*)$/.exec(line)?.[1]
    return command === undefined ? [] : [(command.match(/"[^"]*"|\S+/g) ?? []).map(arg => arg.replace(/^"|"$/g, ''))]
  })
}

test('in another folder, an error names the installed copy of the documented example', async () => {
  const { code, stderr } = await runCli(['eval', '--config', 'examples/quickstart.yaml'], {
    cwd: await temporaryFolder(),
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `no such file. The one that came with the program: ${join(root, 'examples/quickstart.yaml')}`,
  )
})

test('every command of the guide works, in order', async () => {
  const guide = join(root, 'docs/guide.md')
  const folder = await temporaryFolder()
  const server = await spawnFakeOpenai(['--text', 'Blue'])
  onTestFinished(() => server.stop())
  const ofServer = (text: string): string => text.replaceAll('http://127.0.0.1:8000', new URL(server.url).origin)
  const files = [...(await documentedFiles(guide))].map(([name, text]): [string, string] => [name, ofServer(text)])
  await writeFiles(folder, new Map(files))
  await symlink(join(root, 'examples'), join(folder, 'examples'))

  const failed: (Ended & { readonly line: string })[] = []
  const commands = await documentedCommands(guide)
  for (const command of commands) {
    const args = command.map(ofServer)
    // Uses fewer than the 1,000 questions, because another test checks that all of them give .905.
    const selection = args.includes('examples/quickstart.yaml') && !args.includes('--docs') ? ['--limit', '30'] : []
    const ended = await runCli([...args, ...selection], { cwd: folder })
    if (ended.code !== 0) failed.push({ line: command.join(' '), ...ended })
  }
  expect(failed).toEqual([])
  expect(commands.length).toBeGreaterThan(20)
})
