import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { policyScene } from './scene.js'

const address = /is not (an address that this server allows|a plain address .*) ?\(?.*--allow-url/
const path = /is not below a folder that this server allows \(--allow-dir\)$/
const command = /needs --allow-commands/
const vllm = { model: 'vllm', model_args: { model: 'org/name' } }

describe('addresses of models and judges', () => {
  test.each([
    'openai',
    'azure_openai',
    'anthropic',
    'gemini',
    'openai_responses',
    'openai_completions',
    'groq',
    'litellm',
  ])('of %s are rejected unless the policy lists them', async model => {
    const { problems } = await policyScene()
    for (const name of ['base_url', 'proxy']) {
      const args = { model: 'm', [name]: 'https://evil.example/v1' }
      expect(await problems({ model, model_args: args })).toEqual([
        `model_args.${name}: "https://evil.example/v1" is not an address that this server allows (--allow-url)`,
      ])
      expect(await problems({ judge_model: model, judge_args: args })).toEqual([
        expect.stringMatching(`^judge_args.${name}: `),
      ])
    }
    expect(await problems({ model, model_args: { model: 'm', base_url: 'https://models.example/v1' } })).toEqual([])
  })

  test.each(['vllm', 'sglang', 'llama_cpp', 'lmdeploy', 'ollama'])(
    'in arguments of %s are rejected, too',
    async model => {
      const { problems } = await policyScene()
      const at = (base_url: string) => problems({ model, model_args: { model: 'm', base_url } })
      expect(await at('http://169.254.169.254/v1')).toEqual([expect.stringMatching(address)])
      expect(await at('http://127.0.0.1:8000')).toEqual([])
    },
  )

  test('default to those of the provider', async () => {
    const { problems } = await policyScene()
    expect(await problems({ model: 'openai', model_args: { model: 'gpt' } }, { allowUrls: [] })).toEqual([])
  })

  test('are found in argument strings, in JSON, by aliases and in other spellings', async () => {
    const { problems } = await policyScene()
    const jobs = [
      { model: 'openai', model_args: 'model=m,base_url=https://evil.example' },
      { model: 'openai', model_args: 'model=m,base_url="https://evil.example"' },
      { model: 'openai', model_args: '{"model":"m","base_url":"https://evil.example"}' },
      { model: 'async_openai', model_args: { model_version: 'm', base_url: 'https://evil.example' } },
      { model: 'openai', model_args: { model: 'm', httpx_trust_env: false } },
      { model: 'openai', model_args: { model: 'm', proxy: 'none' } },
      { model: 'openai', model_args: { model: 'm', proxy: 'evil.example:3128' } },
    ]
    for (const job of jobs) expect(await problems(job)).toEqual([expect.stringMatching(address)])
  })

  test('with a user or password are rejected', async () => {
    const { problems } = await policyScene()
    const args = { model: 'm', base_url: 'https://models.example@evil.example/v1' }
    expect(await problems({ model: 'openai', model_args: args })).toEqual([
      'model_args.base_url: an address must not hold a user or password, since jobs are stored',
    ])
  })

  test('cannot be changed by .. in the name of a model', async () => {
    const { problems } = await policyScene()
    expect(await problems({ model: 'gemini', model_args: { model: 'models/../../other' } })).toEqual([
      expect.stringMatching(/^model_args.model: .* has a step/),
    ])
  })
})

describe('files of models', () => {
  test('must be below allowed folders, and become absolute', async () => {
    const { problems, stored, allowed } = await policyScene()
    const job = (model: string) => ({ model: 'onnx_vlm', model_args: { model } })
    for (const model of ['/etc', '../outside', 'link'])
      expect(await problems(job(model))).toEqual([expect.stringMatching(path)])
    expect(await stored(job('inner'))).toMatchObject({ model_args: { model: join(allowed, 'inner') } })
    expect(await stored({ model: 'onnx_vlm', model_args: { pretrained: 'within' } })).toMatchObject({
      model_args: { model: join(allowed, 'inner') },
    })
  })

  test.each([
    ['vllm', { tokenizer: '/etc' }],
    ['vllm', { chat_template: '../outside/secret.yaml' }],
    ['vllm', { download_dir: '/root' }],
    ['vllm', { log_file: '/var/log/x' }],
    ['vllm', { model: 'link' }],
    ['vllm', { model: '/etc' }],
    ['vllm', { executable: '/bin/sh' }],
    ['vllm', { executable: ['python3', '../outside/x.py'] }],
    ['vllm', { engine_args: '--chat-template /etc/passwd' }],
    ['vllm', { engine_args: ['--chat-template=/etc/passwd'] }],
    ['llama_cpp', { lora: '/etc/passwd' }],
    ['llama_cpp', { mmproj: 'link.yaml' }],
    ['llama_cpp', { chat_template_file: '/etc/passwd' }],
    ['llama_cpp', { model: '../outside/m.gguf' }],
    ['ollama', { launch: true, models_dir: '/root' }],
    ['ollama', { launch: true, log_file: 'link/log' }],
  ])('of a started %s are rejected elsewhere: %j', async (model, args) => {
    const { problems } = await policyScene()
    const found = await problems({ model, model_args: { model: 'org/name', ...args } }, { allowCommands: true })
    expect(found).toEqual([expect.stringMatching(path)])
  })

  test('of a started engine may be names, and files below allowed folders', async () => {
    const { stored, allowed } = await policyScene()
    const args = { model: 'org/name', tokenizer: 'inner', log_file: 'logs/a.log' }
    expect(await stored({ model: 'vllm', model_args: args }, { allowCommands: true })).toMatchObject({
      model_args: { model: 'org/name', tokenizer: join(allowed, 'inner'), log_file: join(allowed, 'logs/a.log') },
    })
  })

  test('of a remote engine are names on its machine', async () => {
    const { stored } = await policyScene()
    const args = { model: '/models/qwen', base_url: 'http://127.0.0.1:8000' }
    expect(await stored({ model: 'vllm', model_args: args })).toMatchObject({ model_args: args })
  })
})

describe('commands', () => {
  test('start engines only with --allow-commands', async () => {
    const { problems } = await policyScene()
    expect(await problems(vllm)).toEqual([
      'model: "vllm" would start a program on this server, which needs --allow-commands; give model_args.base_url of a running one',
    ])
    expect(await problems({ ...vllm, model_args: 'model=org/name' })).toEqual([expect.stringMatching(command)])
    expect(await problems({ judge_model: 'vllm', judge_args: vllm.model_args })).toEqual([
      expect.stringMatching(/^judge_model: /),
    ])
    expect(await problems(vllm, { allowCommands: true })).toEqual([])
    expect(await problems(vllm, {}, { VLLM_BASE_URL: 'http://127.0.0.1:8000' })).toEqual([])
  })

  test.each([
    { executable: 'sh' },
    { executable: ['sh', '-c', 'id'] },
    { engine_args: '--middleware evil' },
    { engine_args: ['--middleware', 'evil'] },
  ])('in %j are rejected even with an address', async args => {
    const { problems } = await policyScene()
    const given = { model: 'm', base_url: 'http://127.0.0.1:8000', ...args }
    const found = await problems({ model: 'vllm', model_args: given })
    expect(found.length).toBeGreaterThan(0)
    for (const problem of found) expect(problem).toMatch(command)
  })

  test('start ollama only with --allow-commands', async () => {
    const { problems } = await policyScene()
    const job = (launch: unknown) => ({ model: 'ollama', model_args: { model: 'm', launch } })
    for (const launch of [true, 'true', 'yes', '1'])
      expect(await problems(job(launch))).toEqual([expect.stringMatching(command)])
    expect(await problems(job(false))).toEqual([])
  })

  test('of tool servers need --allow-commands, and their paths an allowed folder', async () => {
    const { problems } = await policyScene()
    expect(await problems({ mcp: 'python3 tools.py' })).toEqual([
      'mcp: "python3 tools.py" would be run on this server, which needs --allow-commands',
    ])
    expect(await problems({ mcp: ['http://127.0.0.1:8000/mcp', 'file:///bin/sh'] })).toEqual([
      expect.stringMatching(command),
    ])
    expect(await problems({ mcp: 'python3 tools.py' }, { allowCommands: true })).toEqual([])
    for (const line of ['python3 /etc/x.py', 'python3 "../outside/x.py"', 'sh link/../x', 'x --file=/etc/passwd'])
      expect(await problems({ mcp: line }, { allowCommands: true })).toEqual([expect.stringMatching(path)])
  })

  test('include mcp_server_path, which is also a path', async () => {
    const { problems, stored, allowed } = await policyScene()
    const job = (file: unknown) => ({ model_args: { mcp_server_path: file } })
    expect(await problems(job('mine.py'))).toEqual([expect.stringMatching(command)])
    expect(await problems(job('/etc/x.py'), { allowCommands: true })).toEqual([expect.stringMatching(path)])
    expect(await problems(job(['x.py']), { allowCommands: true })).toEqual([
      'model_args.mcp_server_path: expected a path',
    ])
    const file = join(allowed, 'mine.py')
    expect(await stored(job(file), { allowCommands: true })).toMatchObject({ model_args: { mcp_server_path: file } })
  })
})

describe('tool servers', () => {
  test('with addresses must be allowed', async () => {
    const { problems } = await policyScene()
    expect(await problems({ mcp: ['http://127.0.0.1:8000/mcp'] })).toEqual([])
    for (const line of ['https://evil.example/mcp', ' http://169.254.169.254/ ', 'HTTP://127.0.0.1:8001/mcp'])
      expect(await problems({ mcp: line })).toEqual([expect.stringMatching(address)])
  })

  test('in a file are checked there', async () => {
    const { problems, allowed } = await policyScene()
    const write = async (servers: unknown): Promise<void> =>
      writeFile(join(allowed, 'tools.json'), JSON.stringify({ mcpServers: servers }))
    await write({ a: { url: 'http://127.0.0.1:8000/mcp' } })
    expect(await problems({ tools: 'tools.json' })).toEqual([])
    await write({ a: { url: 'https://${HOST}/mcp' } })
    const found = await problems({ tools: 'tools.json' }, {}, { HOST: 'inside.example' })
    expect(found).toEqual([
      'tools: the server "a" of "tools.json" has an address that this server does not allow (--allow-url)',
    ])
    await write({ a: { command: 'sh' } })
    expect(await problems({ tools: 'tools.json' })).toEqual([expect.stringMatching(command)])
    expect(await problems({ tools: 'tools.json' }, { allowCommands: true })).toEqual([])
  })

  test('in an invalid file are not shown', async () => {
    const { problems } = await policyScene()
    expect(await problems({ tools: 'mine.yaml' })).toEqual(['tools: "mine.yaml" is not read as a file of tool servers'])
  })
})

describe('backends of plugins', () => {
  const plugin = 'mine.task.ts'

  test('need a plugin', async () => {
    const { problems } = await policyScene()
    expect(await problems({ model: 'unheard_of' })).toEqual([expect.stringMatching(/^model: no model "unheard_of"/)])
  })

  test.each([
    ['https://evil.example', address],
    ['wss://evil.example', address],
    ['see https://evil.example', address],
    ['evil.example:8080', address],
    ['[::1]:80', address],
    ['10.0.0.1', address],
    ['169.254.169.254/latest', address],
    ['localhost', address],
    ['file:/etc/passwd', address],
    ['/etc/passwd', path],
    ['../outside', path],
    ['a/../../outside', path],
  ])('do not get %s, however deep', async (value, expected) => {
    const { problems } = await policyScene()
    for (const model_args of [{ x: value }, { x: [value] }, { x: { y: { z: value } } }, { x: { [value]: 1 } }]) {
      expect(await problems({ model: 'own', plugin, model_args })).toEqual([expect.stringMatching(expected)])
    }
  })

  test('get names, numbers, allowed addresses and allowed paths', async () => {
    const { stored, allowed } = await policyScene()
    const args = { model: 'org/name:latest', n: 3, url: 'https://models.example/v1', note: 'a: b, 12:30h', on: true }
    expect(await stored({ model: 'own', plugin, model_args: args })).toMatchObject({ model_args: args })
    expect(await stored({ model: 'own', plugin, model_args: { weights: './inner' } })).toMatchObject({
      model_args: { weights: join(allowed, 'inner') },
    })
  })
})

describe('arguments that the backend does not have', () => {
  test.each([
    [
      { model: 'openai', model_args: { model: 'm', base_ur: 'x' } },
      /^model_args: model openai has no argument "base_ur"/,
    ],
    [{ model: 'openai', model_args: { model: 'm', timeout: 'soon' } }, /^model_args: model openai, argument "timeout"/],
    [{ model: 'openai', model_args: { model: 'm', system_prompt: 'x' } }, /^model_args.system_prompt: /],
    [{ judge_args: { model: 'm' } }, /^judge_args: also give judge_model$/],
    [{ model: 'hf-auto', model_args: { pretrained: 'm' } }, /^model: no model "hf-auto"/],
  ])('%j', async (job, expected) => {
    const { problems } = await policyScene()
    expect(await problems(job)).toEqual([expect.stringMatching(expected)])
  })
})
