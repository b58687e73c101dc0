import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Writes a model of our own as a repository of the Hugging Face Hub has it: a tokenizer of whole words, and a network that
 * looks up a vector for each word (one `Gather`). The mean of the words is the vector of a text.
 * @param words with their vectors, all of one length. Other words have the zero vector.
 */
export async function writeTinyModel(
  folder: string,
  words: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const entries = Object.entries(words)
  const dims = entries[0]?.[1].length ?? 0
  const special = ['[PAD]', '[UNK]']
  const vocabulary = Object.fromEntries(
    [...special, ...entries.map(([word]) => word)].map((word, i) => [word, i]),
  )
  const weights = Float32Array.from([
    ...special.flatMap(() => Array(dims).fill(0)),
    ...entries.flatMap(([, v]) => v),
  ])
  const json = (name: string, value: object) => writeFile(path.join(folder, name), JSON.stringify(value))
  await mkdir(path.join(folder, 'onnx'), { recursive: true })
  await json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: dims })
  await json('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    model_max_length: 64,
  })
  await json('tokenizer.json', {
    version: '1.0',
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab: vocabulary, unk_token: '[UNK]' },
  })
  await writeFile(path.join(folder, 'onnx', 'model.onnx'), onnx(weights, weights.length / dims, dims))
}

const [float, int64] = [1, 7]

/** `last_hidden_state = Gather(weights, input_ids)`, in the form of onnx.proto3 (ONNX IR version 8, opset 13). */
function onnx(weights: Float32Array, rows: number, dims: number): Uint8Array {
  const tensor = message(
    number(1, rows),
    number(1, dims),
    number(2, float),
    text(8, 'weights'),
    bytes(9, new Uint8Array(weights.buffer)),
  )
  const node = message(
    text(1, 'weights'),
    text(1, 'input_ids'),
    text(2, 'last_hidden_state'),
    text(4, 'Gather'),
  )
  const graph = message(
    bytes(1, node),
    text(2, 'tiny'),
    bytes(5, tensor),
    bytes(11, valueInfo('input_ids', int64, ['batch', 'sequence'])),
    bytes(12, valueInfo('last_hidden_state', float, ['batch', 'sequence', dims])),
  )
  return message(number(1, 8), bytes(7, graph), bytes(8, message(text(1, ''), number(2, 13))))
}

function valueInfo(name: string, type: number, shape: readonly (string | number)[]): Uint8Array {
  const dimensions = shape.map((dim) => bytes(1, typeof dim === 'number' ? number(1, dim) : text(2, dim)))
  const tensorType = message(number(1, type), bytes(2, message(...dimensions)))
  return message(text(1, name), bytes(2, bytes(1, tensorType)))
}

/** Protocol Buffers, "Encoding": a key of field number and wire type, then the value. */
const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields)
const number = (field: number, value: number): Uint8Array =>
  Buffer.from([...varint(field << 3), ...varint(value)])
const text = (field: number, value: string): Uint8Array => bytes(field, Buffer.from(value))
const bytes = (field: number, value: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(value.length)]), value])

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}
