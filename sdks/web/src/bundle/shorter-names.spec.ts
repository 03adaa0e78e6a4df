import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

type Names = (code: string, sourceType: 'script' | 'module') => string;

const path = new URL('../../shorter-names.mjs', import.meta.url).href;
const { withShorterNames } = (await import(path)) as { withShorterNames: Names };

/** Programs in which a wrong name changes the result, by what can go wrong with it. */
const programs: Readonly<Record<string, string>> = {
  'a variable inside that hides one outside': '(function(){let a=1;function b(a,c){return a+c}return b(a,2)})()',
  'a variable of outside that is used two functions down': '(b=>(c=>(d=>b+c+d)(3))(2))(1)',
  'one name for a property and its variable': '(({a,b:c,d=4,...f})=>({a,c,d,f}))({a:1,b:2,g:{a:3}})',
  'a default value that uses another parameter': '((a,b=a,[c]=[b])=>[a,b,c])(1)',
  'a name of a function inside of itself': '(function x(y){return y>0?y*x(y-1):1})(5)',
  'a variable of each round of a loop': '(()=>{let a=[];for(let b=0;b<3;b++)a.push(()=>b);return a.map(c=>c())})()',
  'an error, and a label': '(()=>{a:for(;;){try{throw 1}catch(b){let c=b;if(c)break a}}return typeof c})()',
  'arguments, and globals': '(function(a){return[arguments.length,String(a),Math.min(...arguments)]})(3,2)',
};

it.each(Object.entries(programs))('%s: the program does what it did', (_, code) => {
  expect(runInNewContext(withShorterNames(code, 'script'))).toEqual(runInNewContext(code));
});

/** Programs of which a name would come out wrong. */
const refused: Readonly<Record<string, string>> = {
  'a class, whose name is two variables at one place': 'const f=()=>{class a{b=1;c(d){return new a().b+d}}return a}',
  'a list of exports without `as`': 'const longName=t=>t+1;export{longName}',
  'an exported function': 'export function longName(t){return t+1}',
  'an exported constant': 'export const longName=t=>t+1',
};

it.each(Object.entries(refused))('%s is refused', (_, code) => {
  expect(() => withShorterNames(code, 'module')).toThrow('a name means something else');
});

it('exports keep their names', () => {
  expect(withShorterNames('const e=t=>t+1;export{e as plus}', 'module')).toMatch(/export\{\w as plus\}$/);
});

it('functions that do alike things get names alike', () => {
  const bodies = ['abc', 'def', 'ghi'].map(
    ([x, y, z]) => `(${x},${y})=>{let ${z}=${x}.size+${y}.size;return ${z}*${z}}`,
  );
  const code = `const fns=[${bodies.join()}]`;
  const made = withShorterNames(code, 'script');
  expect(gzipSync(made).length).toBeLessThan(gzipSync(code).length);
});
