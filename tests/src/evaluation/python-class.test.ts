import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `
task: nested
dataset_path: somebody/nested
class: !function utils.NestedTask
test_split: test
process_docs: !function utils.process_docs
doc_to_text: !function utils.doc_to_text
doc_to_target: !function utils.doc_to_target
process_results: !function utils.process_results
metric_list: [{metric: right, aggregation: mean, higher_is_better: true}]
dataset_kwargs: {qa_filename: qa.json}
`

/** In the shape of lmms-eval's vstat and physical_conflict: rows from a nested file, targets kept beside them. */
const code = `
import json, os
from datasets import Dataset, DatasetDict
from lmms_eval.api.task import ConfigurableTask

targets = {}


class NestedTask(ConfigurableTask):
    def __init__(self, *args, config=None, **kwargs):
        config = dict(config)
        config.pop("class", None)
        super().__init__(*args, config=config, **kwargs)

    def download(self, dataset_kwargs=None):
        path = os.path.join(os.path.dirname(__file__), dataset_kwargs["qa_filename"])
        with open(path) as file:
            data = json.load(file)
        rows = [{"id": one["id"], "weight": float(one["weight"])} for group in data.values() for one in group]
        targets.update({one["id"]: one["answer"] for group in data.values() for one in group})
        split = self.config.test_split
        self.dataset = DatasetDict({split: Dataset.from_list(rows)})
        if self.config.process_docs is not None:
            self.dataset[split] = self.config.process_docs(self.dataset[split])
        self.dataset_no_image = self.dataset.copy()


def process_docs(dataset):
    return dataset.filter(lambda doc: doc["id"] != "left out")


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return f"{doc['id']} weighs {doc['weight']}"


def doc_to_target(doc):
    return targets[doc["id"]]


def process_results(doc, results):
    return {"right": float(results[0] == targets[doc["id"]])}
`

const qa = JSON.stringify({
  first: [{ id: 'a', weight: 1, answer: 'a weighs 1.0' }],
  second: [
    { id: 'left out', weight: 2, answer: 'x' },
    { id: 'b', weight: 2.5, answer: 'x' },
  ],
})

async function optionsWith(utils: string, data: string | undefined) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'nested.yaml'), yaml)
  await writeFile(join(folder, 'utils.py'), utils)
  if (data !== undefined) await writeFile(join(folder, 'qa.json'), data)
  return { store: join(folder, 'store'), model: 'dummy', modelArgs: {}, tasks: [join(folder, 'nested.yaml')], python }
}

describe.skipIf(!hasPython())('a task that is a class in Python (needs python3)', () => {
  test('has the docs that its download returns, and its functions read attributes of the class', async () => {
    const options = await optionsWith(code, qa)
    const run = await evaluate(options)
    expect(run.judgement?.aggregates).toMatchObject([{ metric: 'right', value: 0.5, n: 2 }])
    // A new process of Python makes the same docs, so the same command is the same run.
    expect((await evaluate(options)).run.id).toBe(run.run.id)
  })

  test('is reported with its line and the position in its code if its download fails', async () => {
    await expect(evaluate(await optionsWith(code, undefined))).rejects.toThrow(
      /nested\.yaml:3:15 {2}dataset_path: class utils\.NestedTask: utils\.py:\d+: FileNotFoundError: .*qa\.json/,
    )
  })

  test.each([
    ['process_results', '    def process_results(self, doc, results):\n        return {}\n'],
    ['doc_to_text', '    def doc_to_text(self, doc):\n        return ""\n'],
  ])('that overrides %s is rejected with its position, because that would be ignored', async (name, method) => {
    const changed = code.replace('    def download', `${method}\n    def download`)
    await expect(evaluate(await optionsWith(changed, qa))).rejects.toThrow(
      new RegExp(`nested\\.yaml:4:8 .*class NestedTask overrides ${name}: only download is supported`),
    )
  })
})
