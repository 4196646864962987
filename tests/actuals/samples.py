"""Exports of common tools, for tests."""

from __future__ import annotations

#: Output of `sacct --parsable2 --format=...`, with job steps and two spellings of the state.
SACCT = """\
JobID|JobName|State|Start|End|ElapsedRaw|AllocTRES
81204|sft-seed1|OUT_OF_MEMORY|2026-09-01T09:00:00|2026-09-01T16:00:00|25200|cpu=64,gres/gpu:h100=8,gres/gpu=8
81204.batch|batch|OUT_OF_MEMORY|2026-09-01T09:00:00|2026-09-01T16:00:00|25200|cpu=64,gres/gpu=8
81207|sft-seed1|COMPLETED|2026-09-01T18:00:00|2026-09-03T01:00:00|111600|gres/gpu:h100=8,gres/gpu=8
81219|SFT_seed2|COMPLETED|2026-09-03T09:00:00|2026-09-04T15:30:00|109800|gres/gpu:h100=8,gres/gpu=8
81301|rl.seed1|RUNNING|2026-09-05T09:00:00|Unknown|90000|gres/gpu:h100=8,gres/gpu=8
81310|rl.seed2|PENDING|Unknown|Unknown|0|
81333|world-demo|CANCELLED by 1000|2026-09-04T09:00:00|2026-09-04T11:00:00|7200|gres/gpu:h100=8
"""
#: The runs table of Weights & Biases, as downloaded.
WANDB = """\
"Name","State","Notes","User","Tags","Created","Runtime","Sweep","seed","gpu_count","_step"
"sft-a","finished","-","ada","","2026-09-01T08:00:00.000Z","108000","","1","8","4000"
"rl-a","crashed","node lost","ada","","2026-09-03T08:00:00.000Z","3600","","1","8","120"
"""
#: Lines of the AWS Cost and Usage Report.
AWS = """\
identity/LineItemId,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/UsageAmount,\
lineItem/UnblendedCost,product/instanceType,resourceTags/user:Name
a1,2026-09-01T00:00:00Z,2026-09-02T00:00:00Z,24,786.24,p4d.24xlarge,sft-seed1
a2,2026-09-02T00:00:00Z,2026-09-03T00:00:00Z,24,786.24,p4d.24xlarge,sft-seed1
a3,2026-09-01T00:00:00Z,2026-10-01T00:00:00Z,,12.5,,checkpoints
"""
