import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { startFakeOpenai, type FakeOptions, type SeenRequest } from '../../support/fake-openai.js'
import { picture } from '../../support/own-task.js'
import { hasPython, python } from '../../support/python-pool.js'
import { repairing, searching } from '../../support/python-rounds.js'
import { temporaryFolder } from '../../support/store.js'

interface Part {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

const partsOf = ({ text }: SeenRequest): readonly Part[] => {
  const { messages } = JSON.parse(text) as { readonly messages: readonly { readonly content: string | Part[] }[] }
  const content = messages.at(-1)?.content ?? ''
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

const saidTo = (request: SeenRequest): string => partsOf(request).at(-1)?.text ?? ''

async function asked(files: Readonly<Record<string, string | Uint8Array>>, answer: FakeOptions['answer']) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'task'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, 'task', name), content)
  const server = await startFakeOpenai({ ...(answer && { answer }) })
  onTestFinished(() => server.close())
  const options = {
    store: join(folder, 'store'),
    model: 'openai',
    modelArgs: { model: 'm', base_url: server.url, max_retries: 0 },
    tasks: [join(folder, 'task')],
    python,
  }
  const run = await evaluate(options)
  return { run, server, again: () => evaluate(options) }
}

describe.skipIf(!hasPython('PIL'))('a Python function that leads a conversation (needs Pillow)', () => {
  test('gets answers and its own values of each round, can send new pictures, and may return None', async () => {
    const { run, server, again } = await asked({ ...searching, 'a.png': await picture(1) }, request => {
      const said = saidTo(request)
      if (said.startsWith('B?')) return 'nothing'
      return said.startsWith('Summarise') ? 'right' : 'query'
    })
    expect(run.judgement?.aggregates).toMatchObject([{ metric: 'found', value: 0.5, n: 2 }])
    const [first] = server.seen.flatMap(request => partsOf(request)[0]?.image_url ?? [])
    const seen = server.seen.map(request => {
      const [image] = partsOf(request)
      return [saidTo(request), image?.image_url?.url === first?.url]
    })
    expect(seen.sort()).toEqual([
      ['A? Weight 1.0.', true],
      ['B? Weight 2.5.', true],
      ['Rerank query, 1.0, many', false],
      ['Summarise query, 2.0', true],
    ])
    await again()
    expect(server.stats().requests).toBe(4)
  })

  test('keeps the state of an agent with Python types until it submits or its steps are used up', async () => {
    const { run, server } = await asked(repairing, request => {
      const said = saidTo(request)
      return said === 'A {"cash": 2.0}' ? 'submit' : 'pay'
    })
    expect(run.judgement?.aggregates).toMatchObject([
      { metric: 'success', value: 0.5, n: 2 },
      { metric: 'cash', value: (2 + 6.5) / 2, n: 2 },
    ])
    expect(server.seen.map(saidTo).sort()).toEqual([
      'A {"cash": 2.0}',
      'A {"cash": 3.0}',
      'B {"cash": 7.5}',
      'B {"cash": 8.5}',
      'B {"cash": 9.5}',
    ])
  })

  test('that fails between two rounds fails only its doc, with its position', async () => {
    const broken = searching['utils.py'].replace('turned = ', 'turned = doc["gone"] if doc["weight"] < 2 else ')
    const { run } = await asked({ ...searching, 'utils.py': broken, 'a.png': await picture(1) }, request =>
      saidTo(request).startsWith('Summarise') ? 'right' : 'query',
    )
    expect(run.judgement?.aggregates).toMatchObject([{ metric: 'found', value: 1, n: 1 }])
    expect(JSON.stringify(run)).toMatch(/invalid_request/)
  })
})
