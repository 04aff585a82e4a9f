import torch, time, sys, csv, os
import torch.nn.functional as F
torch.manual_seed(0)
dev='cuda'; out=open(os.environ.get('OUT','/tmp')+'/lab.csv','w'); W=csv.writer(out); W.writerow(['group','op','shape','mode','time_s','metric','value'])
def timeit(fn, warm=2, target=0.03, idle=0.25, maxit=400):
    for _ in range(warm): fn()
    torch.cuda.synchronize()
    a=torch.cuda.Event(enable_timing=True); b=torch.cuda.Event(enable_timing=True)
    a.record(); fn(); b.record(); torch.cuda.synchronize(); t=a.elapsed_time(b)*1e-3
    n=max(1,min(maxit,int(target/max(t,1e-6))))
    if idle: time.sleep(idle)
    a.record()
    for _ in range(n): fn()
    b.record(); torch.cuda.synchronize()
    return a.elapsed_time(b)*1e-3/n
def rec(group,op,shape,mode,t,metric,val):
    W.writerow([group,op,shape,mode,'%.6g'%t,metric,'%.5g'%val]); out.flush(); print(group,op,shape,mode,'%.4g ms'%(t*1e3),metric,'%.4g'%val,flush=True)
def r(*s,dt=torch.bfloat16): return torch.randn(*s,device=dev,dtype=torch.float32).to(dt)
t0=time.time()
# A: GEMM layouts
for (T,h,n) in [(4096,2560,10240),(8192,2560,7680),(4096,4096,16384),(8192,4096,16384),(8192,8192,28672),(4096,12288,49152),(4096,12288,12288),(16384,4096,4096),(4096,2560,51200)]:
    x=r(T,h);w=r(n,h)*0.02;dy=r(T,n)
    fl=2*T*h*n
    for name,fn in [('fwd',lambda:F.linear(x,w)),('dgrad',lambda:dy@w),('wgrad',lambda:dy.t()@x)]:
        t=timeit(fn); rec('gemm',name,f'{T}x{h}x{n}','burst',t,'tflops',fl/t/1e12)
        t=timeit(fn,target=1.0,idle=0,maxit=100000); rec('gemm',name,f'{T}x{h}x{n}','1s',t,'tflops',fl/t/1e12)
    del x,w,dy
# D: sustained fp8
try:
    a=r(8192,8192).to(torch.float8_e4m3fn); b=r(8192,8192).to(torch.float8_e4m3fn).t(); s=torch.tensor(1.0,device=dev)
    fn=lambda: torch._scaled_mm(a,b,scale_a=s,scale_b=s,out_dtype=torch.bfloat16)
    for m,tg,idl in [('burst',.03,.3),('1s',1,0),('4s',4,0)]:
        t=timeit(fn,target=tg,idle=idl,maxit=10**6); rec('gemm','fp8','8192x8192x8192',m,t,'tflops',2*8192**3/t/1e12)
except Exception as e: print('fp8',e)
a=r(8192,8192);b=r(8192,8192)
for m,tg,idl in [('burst',.03,.3),('1s',1,0),('4s',4,0)]:
    t=timeit(lambda:a@b,target=tg,idle=idl,maxit=10**6); rec('gemm','bf16','8192x8192x8192',m,t,'tflops',2*8192**3/t/1e12)
# B/E attention
from torch.nn.attention import sdpa_kernel, SDPBackend
def attn(bs,hd,s,d,backend,label):
    q=r(bs,hd,s,d).requires_grad_();k=r(bs,hd,s,d).requires_grad_();v=r(bs,hd,s,d).requires_grad_()
    import contextlib
    ctx=(lambda: sdpa_kernel(backend)) if backend else contextlib.nullcontext
    try:
        with ctx():
            fl=2*bs*hd*s*s*d*2/2
            with torch.no_grad(): 
                t=timeit(lambda:F.scaled_dot_product_attention(q,k,v,is_causal=True)); rec('attn_fwd',label,f'{bs}x{hd}x{s}x{d}','burst',t,'frac',fl/t/989e12)
                if s>=4096: 
                    t=timeit(lambda:F.scaled_dot_product_attention(q,k,v,is_causal=True),target=1.5,idle=0,maxit=10**6); rec('attn_fwd',label,f'{bs}x{hd}x{s}x{d}','1.5s',t,'frac',fl/t/989e12)
            o=F.scaled_dot_product_attention(q,k,v,is_causal=True); g=r(*o.shape)
            def bw(): torch.autograd.grad(o,(q,k,v),g,retain_graph=True)
            t=timeit(bw); rec('attn_bwd',label,f'{bs}x{hd}x{s}x{d}','burst',t,'frac',2.5*fl/t/989e12)
            if s>=4096: t=timeit(bw,target=1.5,idle=0,maxit=10**6); rec('attn_bwd',label,f'{bs}x{hd}x{s}x{d}','1.5s',t,'frac',2.5*fl/t/989e12)
    except Exception as e: print('attn',label,bs,hd,s,d,str(e)[:100])
for (bs,hd,s,d) in [(2,32,2048,80),(4,32,2048,128),(2,32,2048,100),(1,12,2048,128),(4,16,2048,128),(8,32,1024,128),(1,32,8192,128),(4,64,2048,96),(2,64,2048,128)]:
    attn(bs,hd,s,d,None,'default')
for (bs,hd,s,d) in [(4,32,2048,128),(1,32,8192,128),(1,8,4096,128)]:
    attn(bs,hd,s,d,SDPBackend.FLASH_ATTENTION,'flash'); attn(bs,hd,s,d,SDPBackend.CUDNN_ATTENTION,'cudnn')
# C pointwise
def pw(name,bytes_,fn,shape):
    t=timeit(fn,target=.05,idle=0); rec('pointwise',name,shape,'burst',t,'frac_hbm',bytes_/t/4.8e12)
for (T,h) in [(8192,2560),(8192,4096),(8192,8192),(4096,12288)]:
    x=r(T,h).requires_grad_(); w=r(h).requires_grad_(); b=r(h).requires_grad_(); g=r(T,h); e=T*h
    with torch.no_grad(): pw('layernorm',4*e,lambda:F.layer_norm(x,(h,),w,b),f'{T}x{h}')
    y=F.layer_norm(x,(h,),w,b); pw('layernorm.bwd(x,w,b) 3 acc',6*e,lambda:torch.autograd.grad(y,(x,w,b),g,retain_graph=True),f'{T}x{h}')
    with torch.no_grad(): pw('rmsnorm',4*e,lambda:F.rms_norm(x,(h,),w),f'{T}x{h}')
    y=F.rms_norm(x,(h,),w); pw('rmsnorm.bwd 3 acc',6*e,lambda:torch.autograd.grad(y,(x,w),g,retain_graph=True),f'{T}x{h}')
    f=4*h; z=r(T,f).requires_grad_(); gz=r(T,f); ef=T*f
    with torch.no_grad(): pw('gelu',4*ef,lambda:F.gelu(z),f'{T}x{f}')
    y=F.gelu(z); pw('gelu.bwd',6*ef,lambda:torch.autograd.grad(y,z,gz,retain_graph=True),f'{T}x{f}')
    with torch.no_grad(): pw('silu',4*ef,lambda:F.silu(z),f'{T}x{f}'); pw('mul',6*ef,lambda:z*gz,f'{T}x{f}')
    pw('bias_grad sum0',2*ef,lambda:gz.sum(0),f'{T}x{f}')
    with torch.no_grad(): pw('dropout train',5*e,lambda:F.dropout(x,0.1,True),f'{T}x{h}')
    y=F.dropout(x,0.1,True); pw('dropout.bwd',5*e,lambda:torch.autograd.grad(y,x,g,retain_graph=True),f'{T}x{h}')
    with torch.no_grad(): pw('add',6*e,lambda:x+g,f'{T}x{h}')
    del x,w,b,g,z,gz,y
for (n,c) in [(64*2048,1024),(64*2048,2048),(32*2048,4096)]:
    x=r(n,c).requires_grad_(); g=r(n,c); e=n*c
    with torch.no_grad(): pw('softmax',4*e,lambda:F.softmax(x,-1),f'{n}x{c}'); pw('softmax fp32->bf16',4*e,lambda:F.softmax(x,-1,dtype=torch.float32).to(torch.bfloat16),f'{n}x{c}')
    y=F.softmax(x,-1); pw('softmax.bwd',6*e,lambda:torch.autograd.grad(y,x,g,retain_graph=True),f'{n}x{c}')
    with torch.no_grad(): pw('scale mul',4*e,lambda:x*0.1,f'{n}x{c}'); pw('dropout scores',5*e,lambda:F.dropout(y,0.1,True),f'{n}x{c}')
    yd=F.dropout(y,0.1,True); pw('dropout scores.bwd',5*e,lambda:torch.autograd.grad(yd,y,g,retain_graph=True),f'{n}x{c}')
    del x,g,y,yd
for (T,V) in [(4096,51200),(8192,32000),(8192,51200),(4096,128256)]:
    x=r(T,V).requires_grad_(); tgt=torch.randint(0,V,(T,),device=dev); e=T*V
    with torch.no_grad(): pw('loss float CE fwd per logit@18',18*e,lambda:F.cross_entropy(x.float(),tgt),f'{T}x{V}')
    def fb():
        l=F.cross_entropy(x.float(),tgt); torch.autograd.grad(l,x)
    pw('loss float CE fwd+bwd per logit@18',18*e,fb,f'{T}x{V}')
    del x
# embedding bwd
for (T,h,V) in [(8192,2560,51200),(8192,4096,32000)]:
    w=r(V,h).requires_grad_(); idx=torch.randint(0,V,(T,),device=dev); y=F.embedding(idx,w); g=r(T,h)
    pw('embedding.bwd',(3*T*h+V*h)*2,lambda:torch.autograd.grad(y,w,g,retain_graph=True),f'{T}x{h}x{V}')
# F casts
ps=[r(4096,4096) for _ in range(24)]; fs=[torch.empty(4096,4096,device=dev) for _ in range(24)]; n=24*4096*4096
def c1():
    for p,f in zip(ps,fs): f.copy_(p)
def c2():
    for p,f in zip(ps,fs): p.copy_(f)
pw('copy bf16->fp32',6*n,c1,'24x4096x4096'); pw('copy fp32->bf16',6*n,c2,'24x4096x4096')
pw('foreach copy bf16->fp32',6*n,lambda:torch._foreach_copy_(fs,ps),'24x4096x4096')
print('total',time.time()-t0)
