import { type TryAnswer, tryExamples, type TryRoute } from '@sluice/console-api';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useAction, useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CodeBlock } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { Checkbox, Select } from '../../ui/field';
import { Editor } from '../../ui/lazy-editor';
import { isTryRoute, findTryRoute, tryRoutes } from './try-routes';
import { FieldProblems } from './refusal';

const route = getRouteApi('/shell/try');

/** Tries whether a body would pass: the gateway itself answers, and stores nothing. */
export function TryPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/try' });
  const sample = useSample();
  const chosen: TryRoute = isTryRoute(search.route) ? search.route : (sample?.route ?? 'track');
  const [body, setBody] = useBody(chosen, sample?.json);
  const [isLenient, setLenient] = useState(false);
  const attempt = useAction('POST /api/try');
  const submit = (): void => {
    attempt.mutate({ body: { route: chosen, body, isLenient } });
  };
  return (
    <Page title="Try it" question="Would this be accepted? The gateway itself answers; nothing is stored.">
      <div className="grid-2">
        <Card title="Request">
          <div className="stack">
            {sample?.isMasked && (
              <Notice tone="attention">
                Masked values are plain text here. Replace them with real ones before you rely on the answer.
              </Notice>
            )}
            <Select
              label="Kind of message"
              options={tryRoutes}
              value={chosen}
              onChange={(event) => {
                void navigate({ search: (now) => ({ ...now, route: event.target.value }), replace: true });
              }}
            />
            <Editor label="Body, JSON" value={body} onChange={setBody} onSubmit={submit} />
            <div className="row row-apart">
              <Checkbox
                label="Lenient: accept the valid messages of a batch"
                checked={isLenient}
                onChange={(event) => setLenient(event.target.checked)}
              />
              <Button look="primary" icon="try" busy={attempt.isPending} onClick={submit}>
                Try it
              </Button>
            </div>
          </div>
        </Card>
        <Card title="Answer">
          {attempt.error && (
            <Notice tone="bad" live>
              {attempt.error.message}
            </Notice>
          )}
          {attempt.data ? <Answer answer={attempt.data} /> : !attempt.error && <NotYet />}
        </Card>
      </div>
    </Page>
  );
}

interface Sample {
  route: TryRoute | undefined;
  json: string;
  isMasked: boolean;
}

/** The body of the refusal that the address names. */
function useSample(): Sample | undefined {
  const { refused } = route.useSearch();
  const { data } = useRead('GET /api/refused/:id', { path: { id: refused ?? '' } }, { enabled: refused !== undefined });
  if (!refused || !data?.body) return undefined;
  return { route: findTryRoute(data.route), json: data.body.json, isMasked: data.body.isMasked };
}

/** Starts with the sample or an example; what someone has typed is never replaced. */
function useBody(chosen: TryRoute, sample: string | undefined): [string, (body: string) => void] {
  const [body, setBody] = useState(() => pretty(sample ?? tryExamples[chosen]));
  const untouched = useRef(body);
  const next = pretty(sample ?? tryExamples[chosen]);
  useEffect(() => {
    // Read now: React may call the function below later, when `untouched` already has the next text.
    const before = untouched.current;
    setBody((now) => (now === before ? next : now));
    untouched.current = next;
  }, [next]);
  return [body, setBody];
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

const Answer = ({ answer }: { answer: TryAnswer }) => (
  <div className="stack" role="status">
    <div className="row row-apart">
      <Badge
        state={answer.wouldPass ? 'accepted' : 'refused'}
        text={answer.wouldPass ? `${answer.status}: it would be accepted` : `${answer.status}: it would be refused`}
      />
      <span className="small soft">{`${Math.round(answer.tookMs)} ms`}</span>
    </div>
    {answer.problems.length > 0 && <FieldProblems problems={answer.problems} />}
    {answer.dropped.length > 0 && (
      <>
        <h3>Values that would be left out</h3>
        <FieldProblems problems={answer.dropped} />
      </>
    )}
    {answer.rejected.length > 0 && (
      <>
        <h3>Messages that would be rejected</h3>
        <FieldProblems problems={answer.rejected} />
      </>
    )}
    <h3>The gateway's answer</h3>
    <CodeBlock text={pretty(answer.answer)} label="The gateway's answer" />
    <h3>As a command</h3>
    <CodeBlock text={answer.curl} label="As a command" copy="Copy command" />
  </div>
);

const NotYet = () => (
  <Empty kind="none-yet" title="Nothing has been tried yet">
    Ctrl or ⌘ with Enter tries it from the editor.
  </Empty>
);
