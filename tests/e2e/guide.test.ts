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

test('elsewhere, the example that the documents name is named where it was installed', async () => {
  const { code, stderr } = await runCli(['eval', '--config', 'examples/quickstart.yaml'], {
    cwd: await temporaryFolder(),
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `no such file. The one that came with the program: ${join(root, 'examples/quickstart.yaml')}`,
  )
})

test('every line of the guide works, in the order in which it stands there', async () => {
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
    // Fewer of its 1,000 questions: that all of them give .905 is another test's.
    const selection = args.includes('examples/quickstart.yaml') && !args.includes('--docs') ? ['--limit', '30'] : []
    const ended = await runCli([...args, ...selection], { cwd: folder })
    if (ended.code !== 0) failed.push({ line: command.join(' '), ...ended })
  }
  expect(failed).toEqual([])
  expect(commands.length).toBeGreaterThan(20)
})
