/** The tags by which families of models mark their reasoning in the text of an answer. */

/** The start and end tag around a model's reasoning. */
export type ReasoningTag = readonly [start: string, end: string]

interface ReasoningFamily {
  readonly models: string
  readonly tags: readonly ReasoningTag[]
  /** Marks around the answer behind the reasoning, which are removed with it. */
  readonly around?: readonly string[]
  /** The page that documents the form. */
  readonly source: string
}

/** XML tags are also written with capital letters. */
const inEachCase = (name: string): readonly ReasoningTag[] =>
  [name, name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)].map(
    form => [`<${form}>`, `</${form}>`] as const,
  )

/** The tags that lmms-eval removes from all answers. */
export const lmmsReasoningTags: readonly ReasoningTag[] = [
  ['<think>', '</think>'],
  ['<analysis>', '</analysis>'],
]

export const reasoningFamilies: readonly ReasoningFamily[] = [
  {
    models:
      'DeepSeek-R1, Qwen3 and QwQ, GLM-4.1V and GLM-4.5, Hunyuan-A13B, MiniMax-M1 and M2, Nemotron, EXAONE 4, ERNIE 4.5, InternVL 3.5, Phi-4-reasoning, Skywork-R1V, Step-3, Kimi-K2, OLMo 3, Holo2',
    tags: inEachCase('think'),
    source: 'chat templates of the models; vLLM documentation, Reasoning Outputs',
  },
  { models: 'Keye-VL', tags: inEachCase('analysis'), source: 'lmms-eval 0.7.2, api/reasoning.py' },
  {
    models: 'models that are prompted to think',
    tags: inEachCase('thinking'),
    source: 'lmms-eval 0.7.2, StripThinkingFilter',
  },
  {
    models: 'EXAONE Deep, Gemma 4 in plain text; Marco-o1',
    tags: inEachCase('thought'),
    around: ['<Output>', '</Output>'],
    source: 'chat template of EXAONE-Deep-7.8B; README of Marco-o1',
  },
  { models: 'Reka Flash 3', tags: inEachCase('reasoning'), source: 'README of reka-flash-3' },
  { models: 'Seed-OSS', tags: [['<seed:think>', '</seed:think>']], source: 'chat template of Seed-OSS-36B-Instruct' },
  { models: 'Magistral', tags: [['[THINK]', '[/THINK]']], source: 'chat template of Magistral-Small-2507' },
  { models: 'Kimi-VL-Thinking', tags: [['◁think▷', '◁/think▷']], source: 'README of Kimi-VL-A3B-Thinking' },
  {
    models: 'gpt-oss',
    tags: [
      ['<|channel|>analysis<|message|>', '<|channel|>final<|message|>'],
      ['<|channel|>commentary<|message|>', '<|channel|>final<|message|>'],
      // Without its special tokens, as some servers decode it.
      ['analysis', 'assistantfinal'],
    ],
    around: ['<|return|>', '<|end|>', '<|start|>assistant'],
    source: 'https://cookbook.openai.com/articles/openai-harmony',
  },
  {
    models: 'MedGemma',
    tags: [['<unused94>', '<unused95>']],
    source: 'https://github.com/ollama/ollama/issues/15754',
  },
  {
    models: 'Gemma 4',
    tags: [['<|channel>thought', '<channel|>']],
    source: 'vLLM documentation, Reasoning Outputs, gemma4',
  },
  {
    models: 'Command A Reasoning, Command R7B',
    tags: [['<|START_THINKING|>', '<|END_THINKING|>']],
    around: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
    source: 'llama.cpp, common/chat.cpp, COMMON_CHAT_FORMAT_COMMAND_R7B',
  },
  {
    models: 'Apertus',
    tags: [['<|inner_prefix|>', '<|inner_suffix|>']],
    around: ['<|assistant_end|>'],
    source: 'llama.cpp, common/chat.cpp, COMMON_CHAT_FORMAT_APERTUS',
  },
  {
    models: 'LLaVA-CoT',
    tags: [
      ['<SUMMARY>', '<CONCLUSION>'],
      ['<REASONING>', '<CONCLUSION>'],
    ],
    around: ['</CONCLUSION>'],
    source: 'https://arxiv.org/abs/2411.10440',
  },
  {
    models: 'OpenThinker, Sky-T1, STILL',
    tags: [['<|begin_of_thought|>', '<|end_of_thought|>']],
    around: ['<|begin_of_solution|>', '<|end_of_solution|>'],
    source: 'https://github.com/NovaSky-AI/SkyThought',
  },
  {
    models: 'Granite 3.2 and 3.3',
    tags: [
      ['Here is my thought process:', 'Here is my response:'],
      ["Here's my thought process:", "Here's my response:"],
    ],
    source: 'vLLM, granite_reasoning_parser.py',
  },
]

/** Tags that are words, which count at the start of an answer only. */
export const wordTags: ReadonlySet<string> = new Set(
  reasoningFamilies.flatMap(({ tags }) => tags.map(([start]) => start)).filter(start => /^[A-Za-z]/.test(start)),
)

/** The marks around the answer of each family, by the end tag of its reasoning. */
export const answerMarks: ReadonlyMap<string, readonly string[]> = new Map(
  reasoningFamilies.flatMap(({ tags, around = [] }) => tags.map(([, end]) => [end, around] as const)),
)

/** Begins an answer with a mark that looks like one of reasoning, whatever the model. */
const lookalike =
  /^\s*(?:<[|/]?[\w:-]{0,20}(?:think|thought|reason|reflect|rationale|scratchpad|monologue|analysis|inner)[\w:-]{0,20}[|]?>|\[\/?(?:think|reason|thought|analysis)\w{0,10}\]|<unused\d+>|<\|channel|◁)|<\/(?:think|thought|reason)\w{0,10}>/iu

/** Returns whether an answer that is left after {@link reasoningFamilies} still looks like reasoning. */
export const looksLikeReasoning = (text: string): boolean => lookalike.test(text.slice(0, 20_000))
