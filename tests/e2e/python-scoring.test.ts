/** Scoring functions in Python: what they get, what they ask of a judge, and what they write. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
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

const counted = `def question(doc):
    return "Count."


def keep(resps, docs):
    return [[str(doc["n"]) + text for text in resp] for resp, doc in zip(resps, docs)]


def join(resps, docs):
    return ["".join(resp) for resp in resps]


def passed(references, predictions, k):
    assert references == ["1"] or references == ["2"], references
    (texts,) = predictions
    assert texts == [references[0] + " 2"] * 3, texts
    return {f"pass@{one}": one / len(texts) for one in k}


def once(references, predictions):
    assert predictions in (["2 2 2"], ["1 2"], ["2 2"]), predictions
    return {"once": 1.0}


def process_results(doc, results):
    (texts,) = results
    return {"kept": len(texts)}
`

describe.skipIf(!hasPython())('a Python filter that returns a list (needs python3)', () => {
  const task = (lines: string): string => `task: seen
dataset_path: ./docs.jsonl
doc_to_text: !function utils.question
doc_to_target: n
repeats: 3
generation_kwargs: {do_sample: true, temperature: 1}
${lines}`
  const run = async (lines: string): Promise<Readonly<Record<string, { readonly value: number | null }>>> => {
    const files = { 'docs.jsonl': '{"n":1}\n{"n":2}\n', 'utils.py': counted, 'seen.yaml': task(lines) }
    const fixed = ['eval', '--model', 'dummy', '--model-args', '{"mode":"fixed","text":" 2"}']
    const ended = await (await pythonTask(files)).run(...fixed, '--tasks', 'seen.yaml', '--json')
    expect(ended).toMatchObject({ code: 0 })
    return numbersIn(ended)['seen'] ?? {}
  }

  test('passes the list to a Python metric as one prediction, and each named value becomes a metric', async () => {
    const numbers = await run(`filter_list:
  - {name: code, filter: [{function: custom, filter_fn: !function utils.keep}]}
metric_list:
  - {metric: !function utils.passed, k: [1, 3]}
`)
    expect(Object.keys(numbers).sort()).toEqual(['pass@1,code', 'pass@3,code'])
    expect(numbers['pass@1,code']).toMatchObject({ value: 1 / 3, n: 2, total: 2 })
    expect(numbers['pass@3,code']).toMatchObject({ value: 1, n: 2, total: 2 })
  })

  test('a text from a Python filter or from take_first is one prediction', async () => {
    const numbers = await run(`filter_list:
  - {name: text, filter: [{function: !function utils.join}]}
  - {name: first, filter: [{function: !function utils.keep}, {function: take_first}]}
metric_list:
  - {metric: !function utils.once}
`)
    expect(Object.entries(numbers).map(([name, { value }]) => [name, value])).toEqual([
      ['once,text', 1],
      ['once,first', 1],
    ])
  })

  test('passes the list to process_results as its only result', async () => {
    const numbers = await run(`process_results: !function utils.process_results
filter_list:
  - {name: code, filter: [{function: !function utils.keep}]}
metric_list:
  - {metric: kept}
`)
    expect(numbers['kept,code']?.value).toBe(3)
  })
})

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

  test('gets pictures and times made by process_docs, and no pictures without process_results_use_image', async () => {
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

  test('sends pictures to a judge, writes submissions into the store, and reports the numbers of a table', async () => {
    const judge = await spawnFakeOpenai(['--text', '4.5'])
    onTestFinished(() => judge.stop())
    const code = `import base64, io
from openai import OpenAI
from lmms_eval.tasks._task_utils.file_utils import generate_submission_file


def question(doc):
    return "Which colour?"


def process_results(doc, results):
    buffer = io.BytesIO()
    doc["image"].save(buffer, format="PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    parts = [{"type": "text", "text": "Right?"}, {"type": "image_url", "image_url": {"url": url}}]
    reply = OpenAI().chat.completions.create(model="j", messages=[{"role": "user", "content": parts}])
    return {"width": float(reply.choices[0].message.content)}


def table(results, args):
    for path in (generate_submission_file("sent.json", args), "here.txt"):
        with open(path, "w") as file:
            file.write(str(results))
    return {"easy": {"red": 1.0, "blue": 0}, "hard": sum(results)}
`
    const shown = yaml('process_results_use_image: true\n').replace(
      'aggregation: mean',
      'aggregation: !function utils.table',
    )
    const { folder, store, run } = await pythonTask({ ...(await dataset()), 'utils.py': code, 'seen.yaml': shown })
    const judging = ['--judge-model', 'openai', '--judge-args', `model=j,base_url=${judge.url},api_key=sk-x`]
    const ended = await run(...line, ...judging)
    expect(ended).toMatchObject({ code: 0 })
    const { width, ...more } = numbersIn(ended)['seen'] ?? {}
    expect(width?.value).toBe(null)
    expect(Object.entries(more).map(([name, { value }]) => [name, value])).toEqual(
      expect.arrayContaining([
        ['width.easy.red', 1],
        ['width.easy.blue', 0],
        ['width.hard', 9],
      ]),
    )
    const [, written = ''] = /written: (\S+sent\.json)/.exec(ended.stderr) ?? []
    expect(written).toMatch(/submissions/)
    expect(await readFile(written, 'utf8')).toBe('[4.5, 4.5]')
    expect((await readdir(folder)).sort()).toEqual(['data', 'seen.yaml', 'store', 'utils.py'])
    expect((await readdir(store)).sort()).toContain('submissions')
    const { requests } = await judge.stats()
    expect(requests).toBe(2)
    expect(await run('judge', 'last')).toMatchObject({ code: 0 })
    expect((await judge.stats()).requests).toBe(2)
  })

  test('fails only the doc whose call exceeds --python-seconds', async () => {
    const code = `import time


def question(doc):
    return "Which colour?"


def process_results(doc, results):
    time.sleep(30 if doc["n"] == 1 else 0)
    return {"width": 1.0}
`
    const { run } = await pythonTask({ ...(await dataset()), 'utils.py': code, 'seen.yaml': yaml() })
    const ended = await run(...line, '--python-seconds', '1', '--python-memory-mb', '4000')
    expect(ended).toMatchObject({ code: 3 })
    expect(ended.stderr).toMatch(/longer than 1 s/)
    expect(numbersIn(ended)['seen']?.['width']).toMatchObject({ value: 1, n: 1 })
  })
})
