import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { picture } from '../../support/own-task.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `
task: annotated
dataset_path: ./docs.jsonl
output_type: generate_visual_cot
doc_to_visual: picture
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs: {visual_cot: true, max_new_tokens: 16, temperature: 0}
metric_list: [{metric: exact_match}]
lmms_eval_specific_kwargs: {default: {prompt: Mark it.}}
`

const code = `
def doc_to_text(doc, lmms_eval_specific_kwargs):
    return f"[GEN_PROMPT]{lmms_eval_specific_kwargs['prompt']}[/GEN_PROMPT][QUESTION]{doc['question']}[/QUESTION]"
`

/** The first class makes a picture before it answers; the second has only the method of every model. */
const models = `
import os, re
from lmms_eval.api.model import lmms

def log(line):
    with open(os.path.join(os.path.dirname(__file__), "asked"), "a") as file:
        file.write(line + "\\n")

class Painter(lmms):
    def __init__(self, batch_size=1):
        super().__init__()
    def generate_visual_cot(self, requests):
        answers = []
        for context, generation, doc_to_visual, doc_id, task, split in [request.args for request in requests]:
            drawn, question = re.fullmatch(r"\\[GEN_PROMPT\\](.*)\\[/GEN_PROMPT\\]\\[QUESTION\\](.*)\\[/QUESTION\\]", context).groups()
            assert generation["visual_cot"] is True, generation
            visuals = doc_to_visual(self.task_dict[task][split][doc_id])
            log(f"{drawn} {len(visuals)} of {len(requests)}")
            answers.append(" red " if question == "A?" else "blue")
        return answers
    def generate_until(self, requests):
        raise AssertionError("another request was sent")

class Writer(lmms):
    def generate_until(self, requests):
        log("asked")
        return ["red" for request in requests]
`

async function folderWith(): Promise<string> {
  const folder = await temporaryFolder()
  const docs = ['A?', 'B?'].map(question => JSON.stringify({ question, picture: 'a.png', answer: 'red' }))
  const files = { 'annotated.yaml': yaml, 'utils.py': code, 'models.py': models, 'docs.jsonl': docs.join('\n') }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  await writeFile(join(folder, 'a.png'), await picture(1))
  return folder
}

const optionsFor = (folder: string, name: string) => ({
  store: join(folder, 'store'),
  model: 'python',
  modelArgs: { file: join(folder, 'models.py'), class: name, batch_size: 2, python },
  tasks: [join(folder, 'annotated.yaml')],
  python,
})

describe.skipIf(!hasPython('PIL'))('a task whose model draws a picture before it answers (needs Pillow)', () => {
  test('calls generate_visual_cot of a class, in batches, with the kwargs and media of lmms-eval', async () => {
    const folder = await folderWith()
    const run = await evaluate(optionsFor(folder, 'Painter'))
    expect(run.judgement?.aggregates).toMatchObject([{ metric: 'exact_match', value: 0.5, n: 2 }])
    expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('Mark it. 1 of 2\nMark it. 1 of 2\n')
  })

  test('ends the run before its first request if the class lacks the method', async () => {
    const folder = await folderWith()
    await expect(evaluate(optionsFor(folder, 'Writer'))).rejects.toThrow(
      /class Writer of models\.py has no method generate_visual_cot, which a task of the run needs\. Add it/,
    )
    await expect(readFile(join(folder, 'asked'))).rejects.toThrow(/ENOENT/)
  })

  test('rejects any other model before docs are read, and names those that support it', async () => {
    const folder = await folderWith()
    await expect(evaluate({ ...optionsFor(folder, ''), model: 'dummy', modelArgs: {} })).rejects.toThrow(
      /task annotated needs generate_visual_cot, which model dummy can't answer .*lmms with class=qwen_image_edit/,
    )
  })
})
