program Shop;

uses
  Classes in 'classes.pas';

procedure Run(const Name: string);
begin
  WriteLn(Name);
end;

begin
  Run('shop');
end.
