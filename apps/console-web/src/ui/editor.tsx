import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Called on Ctrl or Cmd with Enter. */
  onSubmit: () => void;
}

/**
 * An editor of JSON. It lives in a shadow root, where its styles are adopted sheets: the page's policy allows no
 * `<style>`.
 */
export default function EditorField({ label, value, onChange, onSubmit }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const calls = useRef({ onChange, onSubmit });
  calls.current = { onChange, onSubmit };
  const first = useRef({ label, value });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({ root, parent: root, state: createState(first.current, calls) });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className="editor" />;
}

interface Calls {
  current: Pick<Props, 'onChange' | 'onSubmit'>;
}

const createState = ({ label, value }: { label: string; value: string }, calls: Calls): EditorState =>
  EditorState.create({
    doc: value,
    extensions: [
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      json(),
      linter(jsonParseLinter()),
      syntaxHighlighting(colors),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      keymap.of([
        { key: 'Mod-Enter', run: () => (calls.current.onSubmit(), true) },
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) calls.current.onChange(state.doc.toString());
      }),
    ],
  });

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--attention)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--ink)', background: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px' },
  '.cm-gutters': { background: 'var(--surface-sunken)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { background: 'var(--surface-raised)', border: '1px solid var(--border)', color: 'var(--ink)' },
});
