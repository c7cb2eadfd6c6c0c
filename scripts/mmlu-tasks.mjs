// Writes the tasks of MMLU below tasks/mmlu/: each subject in each form, and one group per form. Run it after a change of this file.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', 'tasks', 'mmlu')

const subjects = {
  stem: `abstract_algebra anatomy astronomy college_biology college_chemistry college_computer_science college_mathematics college_physics
    computer_security conceptual_physics electrical_engineering elementary_mathematics high_school_biology high_school_chemistry
    high_school_computer_science high_school_mathematics high_school_physics high_school_statistics machine_learning`,
  other: `business_ethics clinical_knowledge college_medicine global_facts human_aging management marketing medical_genetics miscellaneous
    nutrition professional_accounting professional_medicine virology`,
  social_sciences: `econometrics high_school_geography high_school_government_and_politics high_school_macroeconomics
    high_school_microeconomics high_school_psychology human_sexuality professional_psychology public_relations security_studies sociology
    us_foreign_policy`,
  humanities: `formal_logic high_school_european_history high_school_us_history high_school_world_history international_law jurisprudence
    logical_fallacies moral_disputes moral_scenarios philosophy prehistory professional_law world_religions`,
}

const letters = 'multiple choice questions (with answers)'
const forms = [
  { folder: 'default', task: 'mmlu_*', area: 'mmlu_*_tasks', of: letters, metric: 'acc' },
  { folder: 'generative', task: 'mmlu_*_generative', area: 'mmlu_*_generative', of: letters, metric: 'exact_match' },
  { folder: 'continuation', of: 'questions (with answers)', metric: 'acc' },
  { folder: 'flan_cot_zeroshot', of: letters, metric: 'exact_match', filter: 'flexible-extract' },
  { folder: 'flan_n_shot_generative', of: letters, metric: 'exact_match' },
  { folder: 'flan_n_shot_loglikelihood', of: letters, metric: 'acc' },
]

const words = name => name.replaceAll('_', ' ')
const named = (pattern, name) => pattern.replace('*', name)

for (const { folder, task = `mmlu_${folder}_*`, area = `mmlu_${folder}_*`, of, metric, filter } of forms) {
  mkdirSync(join(root, folder), { recursive: true })
  const write = (name, lines) => writeFileSync(join(root, folder, `${name}.yaml`), `${lines.join('\n')}\n`)
  for (const [field, list] of Object.entries(subjects))
    for (const subject of list.trim().split(/\s+/))
      write(named(task, subject), [
        `# MMLU: ${words(subject)}. Hendrycks et al., Measuring Massive Multitask Language Understanding (2021).`,
        'include: _default.yaml',
        `task: ${named(task, subject)}`,
        `task_alias: ${words(subject)}`,
        `tag: ${named(area, field)}`,
        `dataset_name: ${subject}`,
        `description: "The following are ${of} about ${words(subject)}.\\n\\n"`,
      ])
  const aggregate = indent =>
    ['aggregate_metric_list:', `  - metric: ${metric}`, '    weight_by_size: true']
      .concat(filter === undefined ? [] : [`    filter_list: ${filter}`])
      .map(line => indent + line)
  const whole = folder === 'default' ? 'mmlu' : `mmlu_${folder}`
  const fields = Object.keys(subjects)
  if (folder !== 'default') {
    const members = fields.flatMap(field => [
      `  - group: ${whole}_${field}_all`,
      `    group_alias: ${words(field)}`,
      '    task:',
      `      - ${named(area, field)}`,
      ...aggregate('    '),
    ])
    write('_group', [`group: ${whole}`, 'task:', ...members, ...aggregate(''), 'metadata:', '  version: 2'])
    continue
  }
  write('_group', [
    `group: ${whole}`,
    'task:',
    ...fields.map(field => `  - mmlu_${field}`),
    ...aggregate(''),
    'metadata:',
    '  version: 2',
  ])
  for (const field of fields)
    write(`_group_${field}`, [
      `group: mmlu_${field}`,
      `group_alias: ${words(field)}`,
      'task:',
      `  - ${named(area, field)}`,
      ...aggregate(''),
      'metadata:',
      '  version: 2',
    ])
}
