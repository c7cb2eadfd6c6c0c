import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const docs = 160
const pictures = 40

test('--stop-when does not stop a run whose docs share pictures, unless docs count as independent', async () => {
  const folder = await temporaryFolder()
  for (let picture = 0; picture < pictures; picture++) {
    const background = { r: picture, g: 0, b: 0 }
    await sharp({ create: { width: 2, height: 2, channels: 3, background } })
      .png()
      .toFile(join(folder, `${picture}.png`))
  }
  const rows = Array.from({ length: docs }, (_, i) =>
    JSON.stringify({ q: `question ${i}`, a: i % 20 === 0 ? 'no' : 'yes', image: `${i % pictures}.png` }),
  )
  await writeFile(join(folder, 'docs.jsonl'), `${rows.join('\n')}\n`)
  const task = join(folder, 'shown.yaml')
  await writeFile(
    task,
    'task: shown\ndataset_path: ./docs.jsonl\ndoc_to_visual: image\ndoc_to_text: q\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n',
  )
  const line = {
    store: join(folder, 'store'),
    model: 'dummy',
    modelArgs: { mode: 'fixed', text: 'yes' },
    tasks: [task],
  }
  const stopping = { ...line, stopWhen: 'half-width < 0.15' }
  const [clustered] = (await evaluate(stopping)).judgement?.aggregates ?? []
  expect(clustered).toMatchObject({ n: docs, media: pictures, intervalMethod: 'clustered_wilson' })
  expect(clustered?.note).toBe('docs share media, so that scores do not stop the run early')
  const [independent] =
    (await evaluate({ ...stopping, store: join(folder, 'other'), cluster: 'none' })).judgement?.aggregates ?? []
  expect(independent).toMatchObject({ intervalMethod: 'confidence_sequence' })
  expect(independent?.n).toBeLessThan(docs)
})
