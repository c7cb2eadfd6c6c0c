import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { expectSound, live } from '../support/crash.js'
import { startFakeOpenai, type SeenRequest } from '../support/fake-openai.js'
import { picture, results } from '../support/own-task.js'
import { hasPython, python } from '../support/python-pool.js'
import { repairing, searching } from '../support/python-rounds.js'
import { temporaryFolder } from '../support/store.js'

const textOf = ({ text }: SeenRequest): string => {
  const texts = [...text.matchAll(/"text":"((?:[^"\\]|\\.)*)"|"content":"((?:[^"\\]|\\.)*)"/g)]
  const [, part, content] = texts.at(-1) ?? []
  return JSON.parse(`"${part ?? content ?? ''}"`) as string
}

function answer(request: SeenRequest): string {
  const said = textOf(request)
  if (said.startsWith('B?')) return 'nothing'
  if (said.startsWith('Summarise')) return 'right'
  if (said === 'A {"cash": 2.0}') return 'submit'
  return said.includes('cash') ? 'pay' : 'query'
}

describe.skipIf(!hasPython('PIL'))('conversations that Python leads (needs Pillow)', () => {
  test('a killed conversation continues at its last round, and calls no function for a stored one again', async () => {
    const folder = await temporaryFolder()
    for (const [name, files] of Object.entries({ searching, repairing })) {
      await mkdir(join(folder, name))
      for (const [file, content] of Object.entries(files)) await writeFile(join(folder, name, file), content)
    }
    await writeFile(join(folder, 'searching/a.png'), await picture(1))
    // The server is slow enough that the program is killed before it answers.
    const fake = await startFakeOpenai({ latencyMs: 300, answer })
    onTestFinished(() => fake.close())
    const store = join(folder, 'store')
    const model = ['--model', 'openai', '--model-args', `model=m,base_url=${fake.url}`, '--concurrency', '1']
    const tasks = `${join(folder, 'searching')},${join(folder, 'repairing')}`
    const line = ['eval', ...model, '--tasks', tasks, '--store', store, '--python', python, '--json']
    const deaths = [2, 4, 7]
    for (const most of deaths) {
      const watch = () => () => fake.stats().requests >= most
      const life = await live(line, { name: `request ${most}`, watch, delayMs: 0 })
      expect(life.wasKilled).toBe(true)
    }
    const ended = await runCli(line)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    const { tasks: scored } = results(ended)
    expect(scored['search']).toMatchObject({ found: { value: 0.5, n: 2 } })
    expect(scored['repair']).toMatchObject({ success: { value: 0.5, n: 2 }, cash: { value: 4.25, n: 2 } })
    // Four rounds of the search and five of the agent, and those that were under way when the program was killed.
    const sent = fake.seen.map(textOf)
    expect(new Set(sent).size).toBe(9)
    expect(sent).toHaveLength(9 + deaths.length)
    const led = (await readFile(join(folder, 'searching/calls'), 'utf8')).trim().split('\n')
    expect(led.sort()).toEqual(['A? 1', 'A? 2', 'A? 3', 'B? 1'])
    await expectSound(store)
  })
})
