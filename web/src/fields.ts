// This table has every control of the job: the dotted key of the request, what it is called, how it is edited.

import type { Kind } from './types';

export interface Field {
    key: string;
    label: string;
    kinds: readonly Kind[];
    group: 'plan' | 'workload' | 'more';
    /** Values to choose from; a field without them is a text box. */
    options?: readonly string[];
    /** What the arrow keys do: double and halve, or count. */
    step?: 'double' | 'one';
    /** True where the values are long, so that the field needs a row of its own. */
    wide?: boolean;
    title?: string;
}

const BOTH: readonly Kind[] = ['train', 'infer'];
const TRAIN: readonly Kind[] = ['train'];
const INFER: readonly Kind[] = ['infer'];
const YES_NO = ['true', 'false'];
const TRAIN_FORMATS = ['fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp8_block', 'fp4', 'int8'];
const RUN_OPTIONS = [
    ['two_batch_overlap', 'Two batches', 'half of a batch computes while the other exchanges tokens of experts'],
    ['expert_copies', 'Expert copies', 'busy experts have copies'],
    ['graphs', 'Graphs', 'decode steps are replayed as captured graphs'],
    ['async_scheduling', 'Async host', 'the host prepares a step beside the one before'],
    ['chunked_prefill', 'Chunked prefill', 'under load: a prompt that does not fit into a step is cut'],
    ['prefix_cache', 'Prefix cache', 'under load: beginnings of prompts are found again'],
    ['server', 'Server', 'under load: requests over HTTP; off: in one process'],
] as const;
const WEIGHTS = [
    ...TRAIN_FORMATS,
    'int4',
    'published',
    'mxfp4',
    'nvfp4',
    'fp8-tensor',
    'fp8-channel',
    'fp8-block',
    'w4a16',
    'w8a8',
    'awq',
    'gptq',
    'nf4',
    'hqq',
    'q4_k_m',
    'q5_k_m',
    'q8_0',
];
const CACHES = ['fp16', 'bf16', 'fp8', 'int8', 'int4', 'nvfp4', 'q8_0', 'q4_0'];

export const FIELDS: readonly Field[] = [
    { key: 'gpus', label: 'GPUs', kinds: BOTH, group: 'plan', step: 'double', title: 'GPUs of the job' },
    { key: 'plan.tp', label: 'Tensor (TP)', kinds: BOTH, group: 'plan', step: 'double', title: 'tensor parallel' },
    { key: 'plan.pp', label: 'Pipeline (PP)', kinds: BOTH, group: 'plan', step: 'double', title: 'pipeline parallel' },
    {
        key: 'plan.vpp',
        label: 'Chunks (VPP)',
        kinds: TRAIN,
        group: 'plan',
        step: 'one',
        title: 'model chunks per pipeline rank',
    },
    {
        key: 'plan.dp',
        label: 'Data (DP)',
        kinds: BOTH,
        group: 'plan',
        step: 'double',
        title: 'data parallel; in inference replicas',
    },
    { key: 'plan.cp', label: 'Context (CP)', kinds: BOTH, group: 'plan', step: 'double', title: 'context parallel' },
    { key: 'plan.ep', label: 'Expert (EP)', kinds: BOTH, group: 'plan', step: 'double', title: 'expert parallel' },
    { key: 'plan.zero', label: 'ZeRO stage', kinds: TRAIN, group: 'plan', options: ['0', '1', '2', '3'] },
    {
        key: 'plan.sp',
        label: 'Sequence parallel',
        kinds: TRAIN,
        group: 'plan',
        options: YES_NO,
        wide: true,
    },
    {
        key: 'plan.schedule',
        label: 'Schedule',
        kinds: TRAIN,
        group: 'plan',
        options: ['gpipe', '1f1b', 'interleaved', 'zb-h1', 'zb-h2', 'zb-v', 'v-half', 'dualpipe', 'dualpipe-v'],
        wide: true,
    },
    {
        key: 'workload.seq',
        label: 'Sequence',
        kinds: TRAIN,
        group: 'workload',
        step: 'double',
        title: 'tokens of a sequence',
    },
    {
        key: 'workload.micro_batch',
        label: 'Micro-batch',
        kinds: TRAIN,
        group: 'workload',
        step: 'double',
        title: 'sequences of a micro-batch',
    },
    {
        key: 'workload.global_batch',
        label: 'Global batch',
        kinds: TRAIN,
        group: 'workload',
        step: 'double',
        title: 'sequences of a step',
    },
    {
        key: 'workload.recompute',
        label: 'Recompute',
        kinds: TRAIN,
        group: 'workload',
        options: ['none', 'selective', 'full', 'core', 'selective-op', 'ops:norm,mlp_act', 'ops:mlp', 'nth:2'],
        title: 'what backward executes again; a request may list other operators and layers',
    },
    {
        key: 'workload.batch',
        label: 'Batch',
        kinds: INFER,
        group: 'workload',
        step: 'double',
        title: 'sequences of one replica',
    },
    { key: 'workload.input_len', label: 'Input tokens', kinds: INFER, group: 'workload', step: 'double' },
    { key: 'workload.output_len', label: 'Output tokens', kinds: INFER, group: 'workload', step: 'double' },
    { key: 'workload.precision', label: 'Precision', kinds: TRAIN, group: 'workload', options: TRAIN_FORMATS },
    { key: 'workload.precision', label: 'Weights', kinds: INFER, group: 'workload', options: WEIGHTS },
    { key: 'workload.kv_precision', label: 'KV cache', kinds: INFER, group: 'workload', options: CACHES },
    {
        key: 'workload.attention',
        label: 'Attention',
        kinds: TRAIN,
        group: 'more',
        options: ['unfused', 'flash', 'flash1', 'flash2', 'flash3', 'serving'],
    },
    {
        key: 'workload.fp8_recipe',
        label: 'FP8 recipe',
        kinds: TRAIN,
        group: 'more',
        options: ['delayed', 'tensorwise', 'rowwise', 'rowwise_gw_hp', 'blockwise', 'mxfp8', 'nvfp4'],
        title: 'how products in 8 bits or fewer are scaled; auto: as the engine does on the chip',
    },
    {
        key: 'workload.optimizer',
        label: 'Optimizer',
        kinds: TRAIN,
        group: 'more',
        options: [
            'adamw',
            'adamw-bf16-states',
            'adamw-16bit-gradients',
            'adamw-fp32-states',
            'adamw-bf16',
            'adamw-8bit',
            'muon',
            'muon-bf16',
            'adafactor',
            'sgd-momentum',
            'sgd',
        ],
        title: 'what is kept per parameter; auto: as the engine keeps it',
    },
    {
        key: 'workload.gradient_precision',
        label: 'Gradients',
        kinds: TRAIN,
        group: 'more',
        options: ['fp32', 'bf16'],
        title: 'format in which gradients are added up; auto: as optimizer or engine keep them',
    },
    {
        key: 'plan.stages',
        label: 'Stages',
        kinds: TRAIN,
        group: 'more',
        options: ['even', 'by-cost'],
        title: 'pipeline stages of equal layers or of equal work; auto: as the engine divides them',
    },
    {
        key: 'workload.adapter',
        label: 'Adapter',
        kinds: TRAIN,
        group: 'more',
        title: 'lora, dora or qlora:rank=16,targets=all,base=nf4,format=fp32; empty: every weight is trained',
    },
    {
        key: 'workload.frozen',
        label: 'Frozen',
        kinds: TRAIN,
        group: 'more',
        title: 'parts that are not trained: embeddings,layers:N,head,tower',
    },
    {
        key: 'workload.recompute_every',
        label: 'Layers per saved',
        kinds: TRAIN,
        group: 'more',
        step: 'one',
        title: 'with full recomputation: layers per saved input',
    },
    {
        key: 'plan.etp',
        label: 'Expert TP',
        kinds: BOTH,
        group: 'more',
        step: 'double',
        title: 'tensor parallel inside an expert',
    },
    {
        key: 'plan.zero_group',
        label: 'ZeRO group',
        kinds: TRAIN,
        group: 'more',
        step: 'double',
        title: 'ranks the weights are sharded over',
    },
    {
        key: 'plan.reshard_after_forward',
        label: 'Reshard weights',
        kinds: TRAIN,
        group: 'more',
        options: YES_NO,
        title: 'ZeRO-3: weights are gathered again for backward; false: they stay',
    },
    {
        key: 'plan.offload',
        label: 'Offload',
        kinds: TRAIN,
        group: 'more',
        options: ['optimizer=cpu', 'optimizer=cpu,parameters=cpu', 'optimizer=nvme,parameters=nvme', 'activations=cpu'],
        wide: true,
        title: 'states and saved inputs that the host keeps',
    },
    {
        key: 'plan.cp_kind',
        label: 'Context kind',
        kinds: TRAIN,
        group: 'more',
        options: ['ring', 'allgather', 'ulysses'],
    },
    {
        key: 'plan.overlap',
        label: 'Overlap',
        kinds: TRAIN,
        group: 'more',
        title: 'all, none, or a list such as tp,dp',
    },
    {
        key: 'workload.mtp_layers',
        label: 'MTP layers',
        kinds: TRAIN,
        group: 'more',
        step: 'one',
        title: 'multi-token prediction layers',
    },
    {
        key: 'workload.images',
        label: 'Images',
        kinds: BOTH,
        group: 'more',
        step: 'one',
        title: 'images of a sequence, for models with a vision tower',
    },
    {
        key: 'workload.image_size',
        label: 'Image size',
        kinds: BOTH,
        group: 'more',
        title: 'pixels of an image: WIDTHxHEIGHT, or one number for both',
    },
    {
        key: 'workload.audio_s',
        label: 'Sound',
        kinds: BOTH,
        group: 'more',
        title: 'seconds of sound of a sequence, for models that read sound',
    },
    {
        key: 'workload.encoder_tokens',
        label: 'Encoder tokens',
        kinds: BOTH,
        group: 'more',
        step: 'double',
        title: 'tokens that an encoder of text reads',
    },
    { key: 'workload.matrix_precision', label: 'Products', kinds: INFER, group: 'more', options: TRAIN_FORMATS },
    {
        key: 'workload.comm_precision',
        label: 'On the links',
        kinds: BOTH,
        group: 'more',
        options: ['fp32', 'fp16', 'bf16', 'fp8', 'int8', 'fp4'],
        title: 'format of everything that travels between GPUs; auto: as the engine sends it',
    },
    {
        key: 'workload.activation_precision',
        label: 'Activations',
        kinds: BOTH,
        group: 'more',
        options: ['fp32', 'fp16', 'bf16', 'fp8', 'int8', 'fp4'],
        title: 'format of activations in memory; auto: 16 bits',
    },
    {
        key: 'workload.attention_precision',
        label: 'Attention in',
        kinds: BOTH,
        group: 'more',
        options: ['fp16', 'bf16', 'fp8', 'int8', 'fp4'],
        title: 'format in which attention multiplies; auto: 16 bits',
    },
    {
        key: 'workload.prefix_hit_frac',
        label: 'Prefix hit',
        kinds: INFER,
        group: 'more',
        title: 'share of the prompt already in the cache, 0 to 1',
    },
    {
        key: 'workload.chunk_tokens',
        label: 'Chunk tokens',
        kinds: INFER,
        group: 'more',
        step: 'double',
        title: 'prompt tokens per step; 0: all at once',
    },
    {
        key: 'workload.draft_model',
        label: 'Draft model',
        kinds: INFER,
        group: 'more',
        title: 'speculative decoding: id of the model that drafts; mtp: the layers the model has for it',
    },
    { key: 'workload.draft_tokens', label: 'Draft tokens', kinds: INFER, group: 'more', step: 'one' },
    {
        key: 'workload.draft_accept_frac',
        label: 'Draft accepted',
        kinds: INFER,
        group: 'more',
        title: 'chance that a drafted token is accepted',
    },
    {
        key: 'workload.disaggregated',
        label: 'Disaggregated',
        kinds: INFER,
        group: 'more',
        options: YES_NO,
        title: 'prefill and decode on different GPUs',
    },
    ...RUN_OPTIONS.map(([key, label, title]) => ({
        key: `workload.${key}`,
        label,
        kinds: INFER,
        group: 'more' as const,
        options: YES_NO,
        title: `${title}; auto: as the engine does by itself`,
    })),
    {
        key: 'engine.max_requests',
        label: 'Sequences a step',
        kinds: INFER,
        group: 'more',
        step: 'double',
        title: 'most sequences of a step under load; empty: as the engine does',
    },
    {
        key: 'engine.max_step_tokens',
        label: 'Tokens a step',
        kinds: INFER,
        group: 'more',
        step: 'double',
        title: 'most tokens of a step under load; empty: as the engine does',
    },
    {
        key: 'workload.moe_imbalance',
        label: 'MoE imbalance',
        kinds: BOTH,
        group: 'more',
        title: 'rows on the hottest expert rank over the mean',
    },
];

/** A knob is a hardware number that a slider multiplies. */
export interface Knob {
    id: string;
    label: string;
    path: string;
    unit: string;
}

export const KNOBS: readonly Knob[] = [
    { id: 'flops', label: 'Matrix FLOP/s', path: 'chip.peak_flops_per_s', unit: 'FLOP/s' },
    { id: 'hbm', label: 'HBM bandwidth', path: 'chip.hbm_bytes_per_s', unit: 'B/s' },
    { id: 'l2', label: 'L2 bandwidth', path: 'chip.l2_bytes_per_s', unit: 'B/s' },
    { id: 'nvlink', label: 'NVLink (scale-up)', path: 'system.scaleup_bytes_per_s', unit: 'B/s' },
    { id: 'network', label: 'Network (scale-out)', path: 'system.scaleout_bytes_per_s', unit: 'B/s' },
];
