import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

const yaml = `task: pictured
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
doc_to_visual: image
metric_list: [{metric: contains}]
`

/** Writes a task of 24 questions about eight pictures. */
async function writeTask(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < 8; at += 1) {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: { r: at * 20, g: 0, b: 0 } } })
    await picture.png().toFile(join(folder, `${at}.png`))
  }
  const rows = Array.from({ length: 24 }, (_, at) => {
    const picture = Math.floor(at / 3)
    return {
      id: `q${at}`,
      image: `${picture}.png`,
      question: `Question ${at}`,
      answer: picture % 2 === 0 ? 'Question' : 'no',
      half: `${at % 12}`,
    }
  })
  await writeFile(join(folder, 'docs.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  await writeFile(join(folder, 'pictured.yaml'), yaml)
  return join(folder, 'pictured.yaml')
}

interface Results {
  readonly tasks: {
    readonly pictured: { readonly contains: { readonly interval_method: string; readonly media?: number } }
  }
}

test('questions about the same picture are a cluster, unless --cluster overrides it', async () => {
  const folder = await temporaryFolder()
  const line = [
    'eval',
    '--model',
    'dummy',
    '--tasks',
    await writeTask(join(folder, 'task')),
    '--store',
    folder,
    '--json',
  ]
  const evaluate = async (...flags: readonly string[]) => {
    const { code, stdout } = await runCli([...line, ...flags])
    expect(code).toBe(0)
    const { interval_method: method, media } = (JSON.parse(stdout) as Results).tasks.pictured.contains
    return { method, media }
  }
  expect(await evaluate()).toEqual({ method: 'clustered_wilson', media: 8 })
  expect(await evaluate('--cluster', 'none', '--new-run')).toEqual({ method: 'wilson' })
  expect(await evaluate('--cluster', 'half', '--new-run')).toEqual({ method: 'clustered_wilson' })
})
