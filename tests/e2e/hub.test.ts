import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { fakeHub } from '../support/fake-hub.js'
import { temporaryFolder } from '../support/store.js'

/** Bytes of unfinished downloads below a folder. */
async function partialBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const partial = names.filter(name => name.endsWith('.partial')).map(name => join(folder, name))
  // A download that is complete has another name by now.
  const sizes = await Promise.all(
    partial.map(file =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('a killed download continues where it ended, and a later push makes another run', async () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => `{"id": ${id}, "q": "${'x'.repeat(100)}", "a": "y"}\n`).join('')
  const branches: Record<string, Record<string, string>> = { main: { 'test.jsonl': rows } }
  const hub = await fakeHub({ 'org/set': { branches } })
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'tasks'))
  const yaml = 'task: hubbed\ndataset_path: org/set\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n'
  await writeFile(join(folder, 'tasks', 't.yaml'), yaml)
  const line = 'eval --model dummy --tasks ./tasks --limit 2 --store store --quiet --json'.split(' ')
  const options = { cwd: folder, env: { HF_ENDPOINT: hub.url, HF_TOKEN: 'hf_secretsecret' } }

  hub.stallAfter(100_000)
  const killed = startCli(line, options)
  while ((await partialBytes(join(folder, 'store'))) < 100_000) await sleep(5)
  killed.child.kill('SIGKILL')
  await killed.ended

  const first = await runCli(line, options)
  expect(first).toMatchObject({ code: 0 })
  expect(hub.downloads.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-'])
  expect(first.stdout + first.stderr).not.toContain('secretsecret')

  const again = await runCli(line, options)
  branches['main'] = { 'test.jsonl': `${rows}{"id": 3000, "q": "z", "a": "y"}\n` }
  const pushed = await runCli(line, options)
  const runs = [first, again, pushed].map(({ stdout }) => (JSON.parse(stdout) as { run: { id: string } }).run.id)
  expect(runs[1]).toBe(runs[0])
  expect(runs[2]).not.toBe(runs[0])

  await hub.close()
  const offline = await runCli(line, { ...options, env: { ...options.env, HF_HUB_OFFLINE: '1' } })
  expect(offline).toMatchObject({ code: 0 })
})
