import { resolve } from 'node:path'
import { option, type StoredContext } from '../option.js'
import { argumentMap, seconds, text, texts, whole, yesNo } from '../values/option-values.js'

/** Options that select model and tasks. Programs pass them in another form. */
export const subjectOptions = {
  model: option({
    flag: '--model <name>',
    help: 'the model backend   (pipeline models list)',
    ...text('the name of a model backend'),
    isIdentity: true,
    stored: 'given',
  }),
  modelArgs: option({
    flag: '--model-args <args>',
    help: 'arguments of the backend: a=1,b=x or JSON; may be repeated',
    ...argumentMap('a mapping of arguments, or a text such as a=1,b=x'),
    isIdentity: true,
    stored: 'given',
  }),
  tasks: option({
    flag: '--tasks <names>',
    help: 'tasks, by name, pattern, folder or file, with commas between   (pipeline tasks list)',
    docs: 'tasks, by name, pattern, folder or file, with commas between   (pipeline tasks list); `list`, `list_subtasks`, `list_groups`, `list_tags`, `list_with_num` list names and evaluate nothing',
    ...texts('a task, or a list of tasks'),
    isPath: true,
    isIdentity: true,
    stored: 'given',
  }),
}

/** Generation kwargs are merged name by name. */
export const generationOptions = {
  genKwargs: option({
    flag: '--gen-kwargs <args>',
    help: "generation kwargs over the tasks' own: temperature=0.7,max_new_tokens=64",
    ...argumentMap('a mapping of generation kwargs, or a text such as temperature=0'),
    isIdentity: true,
    stored: 'given',
  }),
}

export const storeOptions = {
  store: option({
    flag: '--store <dir>',
    help: 'the store, a folder or postgres://…; else $PIPELINE_STORE, else .pipeline',
    docs: 'the store: a folder, or the address of a [database for many machines](../many-machines.md); else `$PIPELINE_STORE`, else `./.pipeline`',
    ...text('a folder'),
    isPath: true,
    isIdentity: false,
    stored: 'no',
  }),
}

export const taskFolderOptions = {
  includePath: option({
    flag: '--include-path <dir>',
    help: 'a folder of tasks of your own; may be repeated',
    ...texts('a folder, or a list of folders'),
    isPath: true,
    isIdentity: true,
    stored: (folders: readonly string[], { cwd }: StoredContext) => folders.map(folder => resolve(cwd, folder)),
  }),
}

export const pluginOptions = {
  plugin: option({
    flag: '--plugin <file>',
    help: 'a file or package with backends or metrics of your own; may be repeated',
    ...texts('a file or package, or a list of them'),
    isPath: true,
    isIdentity: true,
    stored: (plugins: readonly string[], { cwd }: StoredContext) =>
      plugins.map(plugin => (/^\.{0,2}\//.test(plugin) ? resolve(cwd, plugin) : plugin)),
  }),
}

/** Options for tasks and models in Python. */
export const pythonOptions = {
  python: option({
    flag: '--python <path>',
    help: 'the Python that runs tasks and models written in Python; else $PIPELINE_PYTHON, else python3',
    docs: 'the Python that runs tasks and models written in Python; else `$PIPELINE_PYTHON`, else `python3`',
    ...text('a path or a command'),
    isIdentity: false,
    stored: 'given',
  }),
  allowNetwork: option({
    flag: '--allow-network',
    help: 'let Python code of tasks use the network',
    ...yesNo,
    isIdentity: false,
    stored: 'unless-default',
  }),
  pythonSeconds: option({
    flag: '--python-seconds <n>',
    help: 'maximum seconds of one call of Python code of tasks (60); of an aggregation, ten times that',
    ...seconds,
    isIdentity: false,
    stored: 'given',
  }),
  pythonMemoryMb: option({
    flag: '--python-memory-mb <n>',
    help: 'maximum address space of each Python process of tasks, in megabytes; else none',
    ...whole(1),
    isIdentity: false,
    stored: 'given',
  }),
}
