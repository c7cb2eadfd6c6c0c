/** Makes the text of the Python client. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './cli.js'
import { serviceDocument, type Operation, type Schema } from './openapi-document.js'

/** Names of methods; lmms-eval's, where its client has the operation. */
const methodNames: Readonly<Record<string, string>> = {
  'get /health': 'health',
  'get /queue': 'get_queue_status',
  'post /evaluate': 'evaluate',
  'get /jobs': 'list_jobs',
  'get /jobs/{job_id}': 'get_job',
  'delete /jobs/{job_id}': 'cancel_job',
  'get /jobs/{job_id}/results': 'get_job_results',
  'get /jobs/{job_id}/samples': 'get_job_samples',
  'get /runs': 'list_runs',
  'get /runs/{run}': 'get_run',
  'get /runs/{run}/results': 'get_run_results',
  'get /runs/{run}/samples': 'get_run_samples',
  'get /runs/{run}/power': 'plan_comparison',
  'get /runs/{run}/calibration': 'calibrate',
  'post /runs/{run}/tags': 'tag_run',
  'get /labels': 'list_labels',
  'post /labels': 'add_label',
  'get /compare': 'compare',
  'get /leaderboard': 'leaderboard',
  'get /why-miss': 'why_miss',
  'post /stability': 'stability',
  'post /blame': 'blame',
  'post /repro': 'repro',
  'post /recheck': 'recheck',
  'get /tasks': 'list_tasks',
  'get /tasks/{name}': 'task_info',
  'get /models': 'list_models',
  'get /models/{name}': 'model_info',
}

/** Operations that answer with one list by a name: the method returns the list. */
const listOf: Readonly<Record<string, string>> = { list_tasks: 'tasks', list_models: 'models' }

export async function pythonClient(): Promise<string> {
  const template = await readFile(join(root, 'scripts/python-client-template.py'), 'utf8')
  const { paths, components } = await serviceDocument()
  const bodies = Object.values(paths).flatMap(methods => Object.values(methods).map(bodyName))
  // The fields of a body are arguments of its method.
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => !bodies.includes(name)))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      methodOf(`${method} ${path}`, operation, components.schemas),
    ),
  )
  const statuses = schemas['JobInfo']?.properties?.['status'] ?? {}
  const kinds = paths['/runs/{run}/samples']?.['get']?.parameters?.find(({ name }) => name === 'only')?.schema ?? {}
  const types = [
    `JobStatus = ${typeOf(statuses)}`,
    `SampleKind = ${typeOf(kinds)}`,
    ...inOrder(schemas).map(([name, schema]) => typedDict(name, schema)),
  ]
  return template
    .replace('# ---- types ----', () => types.join('\n\n\n'))
    .replace('    # ---- operations ----\n\n', () => operations.join('\n') + '\n')
}

/** A class of Python must stand after the one that it extends. */
const inOrder = (schemas: Readonly<Record<string, Schema>>): readonly (readonly [string, Schema])[] =>
  Object.entries(schemas).sort(([, a], [, b]) => Number(a.allOf !== undefined) - Number(b.allOf !== undefined))

function typedDict(name: string, schema: Schema): string {
  const bases = (schema.allOf ?? []).flatMap(({ $ref }) => ($ref === undefined ? [] : [nameIn($ref)]))
  const own = schema.allOf?.find(({ $ref }) => $ref === undefined) ?? schema
  const fields = Object.entries(own.properties ?? {})
  const isRequired = ([field]: readonly [string, Schema]): boolean => own.required?.includes(field) === true
  const optional = fields.filter(field => !isRequired(field))
  const body = (given: typeof fields): string =>
    given.map(([field, one]) => `    ${field}: ${typeOf(one)}`).join('\n') || '    pass'
  const required = (className: string): string =>
    `class ${className}(${bases.join(', ') || 'TypedDict'}):\n${body(fields.filter(isRequired))}`
  return optional.length === 0
    ? required(name)
    : `${required(`_${name}Base`)}\n\n\nclass ${name}(_${name}Base, total=False):\n${body(optional)}`
}

const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The type of Python of a schema. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref)
  if (schema.enum !== undefined)
    return `Literal[${schema.enum.map(value => (value === null ? 'None' : JSON.stringify(value))).join(', ')}]`
  if (schema.anyOf !== undefined) {
    const types = [...new Set(schema.anyOf.map(typeOf))]
    return types.length === 1 ? types.join('') : types.includes('Any') ? 'Any' : `Union[${types.join(', ')}]`
  }
  const types = [schema.type ?? []].flat()
  const [type] = types.filter(one => one !== 'null')
  const plain = plainType(type, schema)
  return types.includes('null') && types.length > 1 ? `Optional[${plain}]` : plain
}

function plainType(type: string | undefined, { items, additionalProperties }: Schema): string {
  switch (type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'array':
      return `List[${items === undefined ? 'Any' : typeOf(items)}]`
    case 'object':
      return `Dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'Any'}]`
    default:
      return 'Any'
  }
}

function methodOf(operation: string, given: Operation, schemas: Readonly<Record<string, Schema>>): readonly string[] {
  const name = methodNames[operation]
  if (name === undefined) return []
  const [method = '', path = ''] = operation.split(' ')
  const parameters = given.parameters ?? []
  const inPath = parameters.filter(one => one.in === 'path')
  const inQuery = parameters.filter(one => one.in === 'query')
  const needed = [...inPath, ...inQuery.filter(one => one.required === true)]
  const waits = parameters.some(one => one.name === 'prefer')
  const request = schemas[bodyName(given) ?? '']
  const body = request && fieldsOf(readFields(request))
  // Without a key, a retry may do the same twice. For the other operations, that changes nothing.
  const isKeyed = parameters.some(one => one.name === 'idempotency-key')
  const optional = [
    ...(body?.optional ?? []),
    ...inQuery.filter(one => one.required !== true).map(one => argument(one.name, one.schema)),
    ...(isKeyed ? ['idempotency_key: Optional[str] = None'] : []),
    ...(waits ? ['wait_seconds: Optional[int] = None'] : []),
  ]
  const positional = ['self', ...needed.map(one => `${one.name}: ${typeOf(one.schema)}`), ...(body?.required ?? [])]
  const answer = given.responses['200']?.content?.['application/json']?.schema ?? {}
  const list = listOf[name]
  const returned = list === undefined ? typeOf(answer) : 'List[str]'
  const escaped = path.replace(/\{(\w+)\}/g, '{_quoted($1)}')
  const call = [
    JSON.stringify(method.toUpperCase()),
    (escaped === path ? '' : 'f') + JSON.stringify(escaped),
    ...(inQuery.length === 0 ? [] : [`query={${inQuery.map(one => `"${one.name}": ${one.name}`).join(', ')}}`]),
    ...(isKeyed ? ['headers={"idempotency-key": idempotency_key or str(uuid.uuid4())}'] : []),
    ...(request === undefined ? [] : [`body=${bodyOf(request)}`]),
    ...(waits ? ['wait=wait_seconds'] : []),
  ].join(', ')
  const lines = [
    ...(body === undefined
      ? [
          `    def ${name}(${[...positional, ...(optional.length === 0 ? [] : ['*', ...optional])].join(', ')}) -> ${returned}:`,
        ]
      : [
          `    def ${name}(`,
          ...[...positional, '*', ...optional].map(one => `        ${one},`),
          `    ) -> ${returned}:`,
        ]),
    ...docstring(given.summary, body, isKeyed),
    `        answer = self._json(${call})`,
    list === undefined
      ? `        return cast(${quoted(returned)}, answer)`
      : `        return cast("List[str]", answer["${list}"])`,
  ]
  return [`${lines.join('\n')}\n`]
}

const quoted = (text: string): string => `"${text.replaceAll('"', "'")}"`

const argument = (name: string, schema: Schema): string => {
  const type = typeOf(schema)
  return `${name}: ${type.startsWith('Optional') || type === 'Any' ? type : `Optional[${type}]`} = None`
}

/** The service accepts and ignores some fields of lmms-eval's requests, with any value. Code that is written for this client needs none of them. */
const readFields = ({ properties = {}, ...rest }: Schema): Schema => ({
  ...rest,
  properties: Object.fromEntries(Object.entries(properties).filter(([, schema]) => typeOf(schema) !== 'Any')),
})

interface Fields {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly docs: readonly string[]
}

function fieldsOf({ properties = {}, required = [] }: Schema): Fields {
  const entries = Object.entries(properties)
  return {
    required: required.map(name => `${name}: ${typeOf(properties[name] ?? {})}`),
    optional: entries.filter(([name]) => !required.includes(name)).map(([name, schema]) => argument(name, schema)),
    docs: entries.flatMap(([name, { description }]) =>
      description === undefined || plainDescriptions.includes(description) ? [] : [`${name}: ${description}`],
    ),
  }
}

/** Descriptions that say no more than the type of Python. */
const plainDescriptions: readonly string[] = ['true or false', 'a text']

const docstring = (summary: string, body: Fields | undefined, isKeyed: boolean): readonly string[] =>
  body === undefined || (!isKeyed && body.docs.length === 0)
    ? [`        """${summary}."""`]
    : [
        '        """',
        ...(isKeyed
          ? [
              `        ${summary}. A retry cannot submit it twice.`,
              '',
              '        wait_seconds: answer when the job has ended, or after so many seconds; the answer then has `job`',
            ]
          : [`        ${summary}.`, '']),
        ...body.docs.map(line => `        ${line.replaceAll('\\', '\\\\')}`),
        '        """',
      ]

/** The expression for the body: all arguments are its fields. `null` is sent where the service demands a value. */
const bodyOf = ({ properties = {}, required = [] }: Schema): string =>
  `_body(${['locals()', ...required.filter(name => isNullable(properties[name] ?? {})).map(name => JSON.stringify(name))].join(', ')})`

const isNullable = ({ type = [], enum: values = [] }: Schema): boolean =>
  [type].flat().includes('null') || values.includes(null)

function bodyName({ requestBody }: Operation): string | undefined {
  const ref = requestBody?.content?.['application/json']?.schema.$ref
  return ref === undefined ? undefined : nameIn(ref)
}
