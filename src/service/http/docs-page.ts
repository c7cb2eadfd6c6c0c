/** Renders `/docs` from the OpenAPI document. The page loads nothing and runs no script. */
import { createHash } from 'node:crypto'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { html, raw } from 'hono/html'

/** The parts of an OpenAPI document that the page shows. */
interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const style = `
:root { color-scheme: light dark; --line: #8884; --dim: #888; --code: #8881 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.05rem; margin: 2rem 0 0; font-family: ui-monospace, monospace }
p { margin: .3rem 0 } .method { display: inline-block; min-width: 4.5rem; color: var(--dim) }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .9rem }
td { border-top: 1px solid var(--line); padding: .25rem .8rem .25rem 0; vertical-align: top }
code, pre { font: .9em ui-monospace, monospace } pre { background: var(--code); padding: .8rem; overflow-x: auto; border-radius: .4rem }
summary { cursor: pointer; color: var(--dim) } section { border-bottom: 1px solid var(--line); padding-bottom: 1.2rem }`

/** Only the style of this page is applied. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** Adds the page that shows the OpenAPI document. */
export function addDocsPage(app: OpenAPIHono, document: () => object): void {
  app.get('/docs', context => {
    context.header('content-security-policy', policy)
    // The generated document has these parts.
    return context.html(page(document() as Document))
  })
}

function page({ info, paths = {}, components }: Document) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} · API</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <h1>${info.title} ${info.version}</h1>
        <p>${info.description ?? ''} The same as <a href="/openapi.json">OpenAPI document</a>.</p>
        <pre>
curl -s ${'$SERVER'}/evaluate -H 'content-type: application/json' \\
  -d '{"model": "openai", "model_args": {"model": "gpt-4.1-mini"}, "tasks": ["mmmu_val"], "limit": 20}'</pre>
        ${operations.map(({ path, method, operation }) => section(path, method, operation, components?.schemas ?? {}))}
      </body>
    </html>`
}

function section(path: string, method: string, operation: Operation, schemas: Readonly<Record<string, Schema>>) {
  const { parameters = [], requestBody } = operation
  const body = resolveSchema(Object.values(requestBody?.content ?? {})[0]?.schema, schemas)
  return html`<section>
    <h2><span class="method">${method.toUpperCase()}</span>${path}</h2>
    <p>${operation.summary ?? ''}${operation.summary === undefined ? '' : '.'} ${operation.description ?? ''}</p>
    ${
      parameters.length === 0
        ? ''
        : html`<table>
            ${parameters.map(
              ({ name, in: location, required, description, schema }) =>
                html`<tr>
                  <td><code>${name}</code></td>
                  <td>${location}${required === true ? ', required' : ''}</td>
                  <td>${description ?? schema?.description ?? ''} ${choices(schema)}</td>
                </tr>`,
            )}
          </table>`
    }
    ${
      body?.properties === undefined
        ? ''
        : html`<details>
            <summary>The body: ${Object.keys(body.properties).length} keys</summary>
            <table>
              ${Object.entries(body.properties).map(
                ([name, schema]) =>
                  html`<tr>
                    <td><code>${name}</code></td>
                    <td>${body.required?.includes(name) === true ? 'required' : ''}</td>
                    <td>${schema.description ?? ''}</td>
                  </tr>`,
              )}
            </table>
          </details>`
    }
  </section>`
}

const choices = (schema: Schema | undefined): string =>
  schema?.enum === undefined ? '' : schema.enum.map(String).join(', ')

function resolveSchema(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  return name === undefined ? schema : schemas[name]
}
