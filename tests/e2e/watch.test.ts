/** `watch` on a terminal, where keys open failing docs. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noTerminal, typeAt } from '../support/on-terminal.js'
import { temporaryFolder } from '../support/store.js'

test.skipIf(noTerminal !== '')(`the number of a failing doc opens it in the viewer${noTerminal}`, async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"1","a":"1"}\n{"q":"2","a":"2"}\n{"q":"3","a":"11"}\n')
  await writeFile(
    join(folder, 'q.yaml'),
    'task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n',
  )
  const statuses: number[] = []
  const visit = async (shown: string): Promise<string> => {
    const [, address = ''] = /viewer: (http:\S+)#\/runs\/[a-z0-9-]+\/samples\/0\/2/.exec(shown) ?? []
    statuses.push((await fetch(address)).status)
    return '\u0003'
  }
  const command = 'watch q.yaml --model dummy --model-args mode=fixed,text=1 --store store'
  const steps = [
    ['3 new requests. Send? [y/N]', 'y'],
    ['The number of a failing doc opens it', '2'],
    ['/samples/0/2', visit],
  ] as const
  const shown = await typeAt(command, steps, { folder, TERM: 'xterm' })
  expect(shown).toContain('2  q/2   "1"   target "11"')
  expect(statuses).toEqual([200])
})
