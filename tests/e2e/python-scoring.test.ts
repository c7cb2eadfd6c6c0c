/** Scoring functions in Python: what they get, what they ask of a judge, and what they write. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasPython } from '../support/python-pool.js'
import { numbersIn, pythonTask } from '../support/python-task.js'
import { png } from '../support/viewed-run.js'

const card = `---
dataset_info:
  features:
  - {name: n, dtype: int64}
  - {name: image, dtype: image}
  - {name: more, list: image}
---
`

const rows = [
  { n: 1, image: 'red.png', more: ['blue.png', 'red.png'] },
  { n: 2, image: 'blue.png', more: [] },
]

const dataset = async (): Promise<Readonly<Record<string, string | Uint8Array>>> => ({
  'data/README.md': card,
  'data/test.jsonl': rows.map(row => `${JSON.stringify(row)}\n`).join(''),
  'data/red.png': await png(2, 2, 250),
  'data/blue.png': await png(3, 2, 10),
})

const yaml = (lines = ''): string => `task: seen
dataset_path: ./data
test_split: test
doc_to_text: !function utils.question
doc_to_target: n
process_results: !function utils.process_results
${lines}metric_list:
  - metric: width
    aggregation: mean
    higher_is_better: true
`

const line = ['eval', '--model', 'dummy', '--model-args', 'mode=fixed,text=2', '--tasks', 'seen.yaml', '--json']

describe.skipIf(!hasPython('PIL'))('process_results in Python (needs python3 with Pillow)', () => {
  test('gets the pictures of the doc with process_results_use_image, also when a bundle is judged elsewhere', async () => {
    const code = `import PIL.Image


def question(doc):
    return "Which colour?"


def process_results(doc, results):
    assert isinstance(doc["image"], PIL.Image.Image), doc
    widths = [image.size[0] for image in [doc["image"], *doc["more"]]]
    return {"width": sum(widths) + doc["image"].convert("RGB").getpixel((0, 0))[0] / 1000}
`
    const files = { ...(await dataset()), 'utils.py': code, 'seen.yaml': yaml('process_results_use_image: true\n') }
    const { folder, run } = await pythonTask(files)
    expect(await run('infer', ...line.slice(1, -1))).toMatchObject({ code: 0 })
    const bundles = { whole: join(folder, 'whole.pipeline'), bare: join(folder, 'bare.pipeline') }
    expect(await run('export', 'last', '--output', bundles.whole, '--media')).toMatchObject({ code: 0 })
    expect(await run('export', 'last', '--output', bundles.bare)).toMatchObject({ code: 0 })
    const here = await run(...line)
    expect(here).toMatchObject({ code: 0 })
    // The pictures are 2 and 3 wide: 2 + 3 + 2 + 0.25, and 3 + 0.01.
    expect(numbersIn(here)['seen']?.['width']?.value).toBeCloseTo((7.25 + 3.01) / 2)

    for (const name of ['data', 'utils.py', 'seen.yaml', 'store'])
      await rm(join(folder, name), { recursive: true, force: true })
    const judge = (bundle: string, store: string) =>
      run('judge', bundle, '--store', join(folder, store), '--trust-bundle', '--json')
    const there = await judge(bundles.whole, 'elsewhere')
    expect(there).toMatchObject({ code: 0 })
    expect(numbersIn(there)['seen']?.['width']?.value).toBeCloseTo((7.25 + 3.01) / 2)
    const without = await judge(bundles.bare, 'without')
    expect(without).toMatchObject({ code: 3 })
    expect(without.stdout + without.stderr).toMatch(
      /image: medium sha256:\w+ is not in the store[^]*exported with media/,
    )
  })

  test('gets pictures and times that process_docs made, and no pictures without process_results_use_image', async () => {
    const code = `import datetime, decimal


TYPED = {"day": datetime.date(2024, 1, 2), "prices": [decimal.Decimal("1.50")], "at": datetime.datetime(2024, 1, 2, 3)}


def process_docs(dataset):
    return dataset.map(lambda doc: {**doc, **TYPED, "share": 3.0, "image": doc["image"].resize((7, 1))})


def question(doc):
    return "Which colour?"


def process_results(doc, results):
    assert {name: doc[name] for name in TYPED} == TYPED and type(doc["share"]) is float, doc
    return {"width": doc["image"].size[0]}
`
    const processed = 'process_docs: !function utils.process_docs\n'
    const files = { ...(await dataset()), 'utils.py': code }
    const seen = await pythonTask({ ...files, 'seen.yaml': yaml(`${processed}process_results_use_image: true\n`) })
    const ended = await seen.run(...line)
    expect(ended).toMatchObject({ code: 0 })
    expect(numbersIn(ended)['seen']?.['width']?.value).toBe(7)
    const unseen = await pythonTask({ ...files, 'seen.yaml': yaml(processed) })
    expect((await unseen.run(...line)).stderr).toMatch(/KeyError: 'image'/)
  })
})
