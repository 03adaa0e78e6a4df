import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type NewActivation,
  type PlanChange,
  type PlanPreview,
  type PlanPreviewQuery,
  type PlanSummary,
  type RangeQuery,
  type SourcePlans,
} from '@sluice/console-api';
import { type ActivationChange, assertObserved, previewActivation } from '@sluice/operations';
import { type Activation, isPlanVersion, type Plan, type PlanDifference, PlanReader, PlanWriter } from '@sluice/plans';
import { SourceReader } from '@sluice/sources';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { rangeOf } from '../http/range.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { PlanFacts } from './plan-facts.js';

const dayMs = 86_400_000;

/** Tracking plans of a source: what is active, and what its messages violate. */
@Controller()
export class PlansController {
  constructor(
    private readonly sources: SourceReader,
    private readonly plans: PlanReader,
    private readonly writer: PlanWriter,
    private readonly actions: Actions,
    private readonly facts: PlanFacts,
    private readonly tables: Tables,
  ) {}

  @Serves('GET /api/sources/:id/plans')
  async show(@Param('id') id: string, @Query() query: RangeQuery, @User() user: CurrentUser): Promise<SourcePlans> {
    this.assertSource(id);
    const range = rangeOf(query, 7 * dayMs);
    const [violations, coverage] = await Promise.all([
      this.facts.violations(user, id, range).catch(() => null),
      this.facts.coverage(user, id, range).catch(() => null),
    ]);
    const activation = this.plans.registry.activation(id);
    const plans = this.plans.registry.plansOf(id).reverse();
    return {
      plans: plans.map((plan) => summaryOf(plan, activation)),
      versions: activation?.versions ?? [],
      mode: activation?.mode ?? null,
      candidate: activation?.candidate ?? null,
      violations,
      coverage,
    };
  }

  @Serves('GET /api/sources/:id/plans/preview')
  preview(
    @Param('id') id: string,
    @Query() { versions, mode, candidate }: PlanPreviewQuery,
    @User() user: CurrentUser,
  ): Promise<PlanPreview> {
    const numbers = versions.split(',').filter((one) => one !== '');
    const asked = {
      versions: numbers.map(Number),
      mode,
      candidate: candidate === undefined ? null : Number(candidate),
    };
    return this.previewOf(user, this.changeOf(id, asked));
  }

  @Serves('PUT /api/sources/:id/plans')
  async activate(
    @Param('id') id: string,
    @Body() body: NewActivation,
    @User() user: CurrentUser,
  ): Promise<PlanPreview> {
    const change = this.changeOf(id, body);
    const { versions, mode, candidate } = change;
    const preview = await this.previewOf(user, change, { isDone: true });
    const action = { operation: 'plans.activate', object: id, details: { versions, mode, candidate } };
    await this.actions.record(user, action, async () => {
      const isNothing = versions.length === 0 && candidate === undefined;
      await (isNothing ? this.writer.deactivate(id) : this.writer.activate(id, change));
    });
    return preview;
  }

  private async previewOf(user: CurrentUser, change: ActivationChange, { isDone = false } = {}): Promise<PlanPreview> {
    if (change.versions.length === 0 && change.candidate === undefined)
      return { differences: [], candidateDifferences: [], observation: null };
    const select = <Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> =>
      this.tables.select<Row>(user, query, parameters);
    const preview = await previewActivation(select, this.plans.registry, change);
    if (isDone) assertObserved(preview);
    return {
      differences: preview.differences.map(changeText),
      candidateDifferences: preview.candidateDifferences.map(changeText),
      observation: preview.observation,
    };
  }

  private changeOf(id: string, { versions, mode, candidate }: NewActivation): ActivationChange {
    this.assertSource(id);
    if (!versions.every(isPlanVersion)) throw invalid('versions must be versions of plans.');
    if (candidate === null) return { source: id, versions, mode };
    if (!isPlanVersion(candidate)) throw invalid('candidate must be the version of a plan.');
    return { source: id, versions, mode, candidate };
  }

  private assertSource(id: string): void {
    if (!this.sources.registry.find(id)) throw notFound(`There is no source ${id}.`);
  }
}

const changeText = ({ path, before, after }: PlanDifference): PlanChange => ({
  path,
  before: jsonOf(before),
  after: jsonOf(after),
});

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const summaryOf = ({ version, description = '', events }: Plan, activation: Activation | undefined): PlanSummary => ({
  version,
  description,
  events: Object.keys(events).length,
  state: activation?.versions.includes(version)
    ? 'active'
    : version === activation?.candidate
      ? 'candidate'
      : 'inactive',
});
